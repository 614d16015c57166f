import { Effect, Fiber, Layer, Logger, Redacted, type Scope } from "effect"
import {
  beginning,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { ReadModelsError } from "../../ports/read-models.ts"
import { buildShadows } from "../../projections/engine/build-shadows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { withRetries } from "../../projections/engine/retries.ts"
import { projections } from "../../projections/models/all.ts"
import { layerRedisConnection } from "../adapters/stores/redis/connection.ts"
import { layerReadModelsRedis } from "../adapters/stores/redis/read-models.ts"
import { openLogPages } from "../adapters/stores/sqlite/events/log-pages.ts"
import { serveThread } from "../platform/threads/serve-thread.ts"

// A thread that builds shadow models in Redis from the log, and then ends. It reads the log itself, because sending events or
// writes to a thread takes longer than projecting them. Its priority is not lowered: requests may wait for it.

/** Where the log and the read models are. */
export interface RedisBuildData {
  /** The file of an embedded log, or the connection string of the server that has the log. */
  readonly log: { readonly file: string } | { readonly connectionString: string }
  readonly redisUrl: string
  readonly redisCommandMillis: number | undefined
}

export interface RedisBuildRequest {
  readonly models: ReadonlyArray<string>
  /** The last event, as `formatPosition` writes it. */
  readonly upTo: string
}

/** Events of one read from a server: a call takes as long as decoding some dozen events. */
const PAGE = 512

/** Events that are projected at a time: a batch for Redis must not become much larger than it should be. */
const SLICE = 32

const pagesOfFile = (file: string, { commit }: Position) =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => openLogPages(file)), (reader) => Effect.sync(() => reader.close())),
    (reader) => {
      const pages = reader.pages(0, Number(commit))[Symbol.iterator]()
      return Effect.sync(() => {
        const { done, value } = pages.next()
        return done === true ? undefined : value
      })
    }
  )

/** Reads each page while the one before it is projected. */
const pagesOfServer = (connectionString: string, upTo: Position) =>
  Effect.gen(function* () {
    const { layerEventStoreDb } = yield* Effect.promise(() => import("../adapters/stores/eventstoredb/store.ts"))
    const layer = layerEventStoreDb({ connectionString: Redacted.make(connectionString) })
    const store = yield* Effect.provide(EventStore, yield* withRetries(Layer.build(layer)))
    const read = (after: Position) => Effect.forkScoped(withRetries(store.readAll({ after, limit: PAGE })))
    let reading = isBefore(beginning, upTo) ? yield* read(beginning) : undefined
    let page: ReadonlyArray<RecordedEvent> = []
    return Effect.gen(function* () {
      if (page.length === 0) {
        if (reading === undefined) return undefined
        const whole = yield* Fiber.join(reading)
        const last = whole.at(-1)?.position
        reading = last !== undefined && isBefore(last, upTo) ? yield* read(last) : undefined
        page = whole.filter(({ position }) => !isBefore(upTo, position))
      }
      const slice = page.slice(0, SLICE)
      page = page.slice(SLICE)
      return slice.length === 0 ? undefined : slice
    })
  })

type NextPage = Effect.Effect<ReadonlyArray<RecordedEvent> | undefined, EventStoreError, Scope.Scope>

const build = Effect.fnUntraced(
  function* ({ log, redisCommandMillis, redisUrl }: RedisBuildData, request: RedisBuildRequest) {
    const upTo = yield* Effect.fromNullishOr(parsePosition(request.upTo))
    const connection = layerRedisConnection({
      url: Redacted.make(redisUrl),
      ...redisCommandMillis === undefined ? {} : { commandTimeout: redisCommandMillis }
    })
    const models = layerReadModelsRedis().pipe(Layer.provide(connection))
    const services = yield* withRetries(Layer.build(models))
    const nextPage: NextPage = yield* "file" in log
      ? pagesOfFile(log.file, upTo)
      : pagesOfServer(log.connectionString, upTo)
    const wanted = projections.filter((projection) => request.models.includes(modelName(projection)))
    return yield* Effect.provide(buildShadows(wanted, nextPage), services)
  },
  Effect.scoped,
  // Only the message of an error reaches the service.
  Effect.mapError((error) => new Error(describe(error)))
)

/** An error of a store, without secrets: its cause says none. */
const describe = (error: unknown): string => {
  if (!(error instanceof ReadModelsError || error instanceof EventStoreError)) return String(error)
  const { cause, operation, reason } = error
  return `${operation}: ${reason}${cause instanceof Error ? `, ${cause.message}` : ""}`
}

// The service logs what happens to its own connections.
const silent = Logger.layer([])

serveThread<RedisBuildData, undefined, RedisBuildRequest, ReadonlyArray<string>>((data) => ({
  ready: undefined,
  answer: (request) => Effect.runPromise(Effect.provide(build(data, request), silent))
}))
