import { Duration, Effect } from "effect"
import { modelName } from "../../../projections/engine/model-name.ts"
import { beginning, type NewEvent, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { layerEngines } from "../../../infrastructure/runtime/engines.ts"
import { projections } from "../../../projections/models/all.ts"
import { randomBytes, randomUUID } from "node:crypto"
import { BenchError } from "../figure.ts"

export interface Filled {
  readonly appendSeconds: number
  /** From the last append until every read model had caught up. */
  readonly catchUpSeconds: number
}

const APPENDERS = 256
const CATCH_UP_MILLIS = 120_000

/**
 * Fills the log of a data folder with verified slips, each in its own stream, and waits for the read models. The
 * folder must hold at least one real verification. The new events are copies of it with other ids.
 */
export const fillLog = (dataDir: string, events: number): Effect.Effect<Filled, BenchError> =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const models = yield* ReadModels
    const log = yield* store.readAll({ after: beginning, limit: 1_000 })
    const template = log.find(({ type }) => type === "SlipVerified")
    if (template === undefined) return yield* new BenchError({ message: "the log holds no verified slip to copy" })

    const started = performance.now()
    yield* Effect.forEach(
      {
        *[Symbol.iterator]() {
          for (let number = 0; number < events; number++) yield number
        }
      },
      () => store.append(randomStreamLike(template), "no-stream", [copyOf(template)]),
      { concurrency: APPENDERS, discard: true }
    )
    const appended = performance.now()
    const head = yield* store.head
    yield* Effect.forEach(
      projections,
      (projection) => models.awaitPosition(modelName(projection), head, CATCH_UP_MILLIS)
    )
    return {
      appendSeconds: (appended - started) / 1_000,
      catchUpSeconds: (performance.now() - appended) / 1_000
    }
  }).pipe(
    Effect.provide(layerEngines({
      dataDir,
      masterKey: undefined,
      subjectKeysFile: undefined,
      eventStoreUrl: undefined,
      redisUrl: undefined,
      rateLimit: 0,
      rateLimitBurst: 0,
      repeatsPerDay: 0,
      failuresPerDay: 0,
      jobRetention: Duration.days(90)
    })),
    Effect.mapError((error) =>
      error instanceof BenchError ? error : new BenchError({ message: `the log was not filled: ${String(error)}` })
    )
  )

/** `slip-{service}-{digest}` with a random digest. */
const randomStreamLike = ({ stream }: RecordedEvent): string =>
  stream.slice(0, stream.lastIndexOf("-") + 1) + randomBytes(16).toString("hex")

const copyOf = ({ data, metadata, type }: RecordedEvent): NewEvent => {
  const verificationId = randomUUID()
  return {
    id: randomUUID(),
    type,
    data: { ...data, verificationId },
    metadata: { ...metadata, causationId: verificationId, correlationId: randomUUID() }
  }
}
