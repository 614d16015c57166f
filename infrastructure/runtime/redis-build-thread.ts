import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import {
  beginning,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { buildShadows } from "../../projections/engine/build-shadows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { withRetries } from "../../projections/engine/retries.ts"
import { projections } from "../../projections/models/all.ts"
import { layerRedisConnection } from "../stores/redis/connection.ts"
import { layerReadModelsRedis } from "../stores/redis/read-models.ts"
import { openLogPages } from "../stores/sqlite/events/log-pages.ts"
import { serveThread } from "../threads/serve-thread.ts"

// A thread that builds shadow models in Redis from the log, and then ends. It reads the log itself, because sending events or
// writes to a thread takes longer than projecting them. Its priority is not lowered: requests may wait for it.

/** Where the log and the read models are. */
export interface RedisBuildData {
  /** The file of an embedded log, or the connection string of the server that has the log. */
  readonly log: { readonly file: string } | { readonly connectionString: string }
  readonly redisUrl: string
}

export interface RedisBuildRequest {
  readonly models: ReadonlyArray<string>
  /** The last event, as `formatPosition` writes it. */
  readonly upTo: string
}

/** Events of one read from a server: a call takes as long as decoding some dozen events. */
const PAGE = 512

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
    const { layerEventStoreDb } = yield* Effect.promise(() => import("../stores/eventstoredb/store.ts"))
    const layer = layerEventStoreDb({ connectionString: Redacted.make(connectionString) })
    const store = yield* Effect.provide(EventStore, yield* Layer.build(layer))
    const read = (after: Position) => Effect.forkChild(withRetries(store.readAll({ after, limit: PAGE })))
    let reading = yield* read(beginning)
    return Effect.gen(function* () {
      const page = yield* Fiber.join(reading)
      const last = page.at(-1)
      if (last !== undefined) reading = yield* read(last.position)
      const wanted = page.filter(({ position }) => !isBefore(upTo, position))
      return wanted.length === 0 ? undefined : wanted
    })
  })

type NextPage = Effect.Effect<ReadonlyArray<RecordedEvent> | undefined, unknown>

const build = Effect.fnUntraced(function* ({ log, redisUrl }: RedisBuildData, request: RedisBuildRequest) {
  const upTo = parsePosition(request.upTo) ?? beginning
  const nextPage: NextPage = yield* "file" in log
    ? pagesOfFile(log.file, upTo)
    : pagesOfServer(log.connectionString, upTo)
  const models = layerReadModelsRedis().pipe(Layer.provide(layerRedisConnection({ url: Redacted.make(redisUrl) })))
  const wanted = projections.filter((projection) => request.models.includes(modelName(projection)))
  return yield* Effect.provide(buildShadows(wanted, nextPage, upTo), yield* Layer.build(models))
}, Effect.scoped)

// The service logs what happens to its own connections.
const silent = Logger.layer([])

serveThread<RedisBuildData, undefined, RedisBuildRequest, ReadonlyArray<string>>((data) => ({
  ready: undefined,
  answer: (request) => Effect.runPromise(Effect.provide(build(data, request), silent))
}))
