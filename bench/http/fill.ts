import { Duration, Effect } from "effect"
import { modelName } from "../../projections/engine/model-name.ts"
import { beginning, type NewEvent, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { layerEngines } from "../../infrastructure/runtime/engines.ts"
import { projections } from "../../projections/models/all.ts"
import { randomBytes, randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { makeAppendBatch } from "../../infrastructure/adapters/stores/sqlite/events/append-batch.ts"
import { openForWriting } from "../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import { makeLogReader } from "../../infrastructure/adapters/stores/sqlite/events/log-reader.ts"
import { uuidV7 } from "../../infrastructure/platform/uuid.ts"
import { BenchError } from "../figure.ts"

export interface Filled {
  readonly appendSeconds: number
  /** From the last append until every read model had caught up. */
  readonly catchUpSeconds: number
}

const APPENDERS = 256
const CATCH_UP_MILLIS = 120_000
/** Events of one transaction. */
const TOGETHER = 5_000

/**
 * Fills the log of a data folder with verified slips, each in its own stream, and waits for the read models. The
 * folder must hold at least one real verification. The new events are copies of it with other ids.
 */
export const fillLog = (dataDir: string, events: number): Effect.Effect<Filled, BenchError> =>
  Effect.gen(function* () {
    const store = yield* EventStore
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
      () => store.append(randomStreamLike(template), "no-stream", [copyOf(template, Date.now())]),
      { concurrency: APPENDERS, discard: true }
    )
    const appended = performance.now()
    const models = yield* ReadModels
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
    Effect.provide(enginesIn(dataDir)),
    Effect.mapError(notFilled)
  )

/**
 * Fills the log in the same way, with four slips a second until the last real one, but writes the file itself: a large log takes minutes instead of hours. Removes the read
 * models, which the next start builds from the whole log. Nothing may have the folder open.
 */
export const fillAtOnce = (dataDir: string, events: number): Effect.Effect<void, BenchError> =>
  Effect.try({
    try: () => {
      writeCopies(join(dataDir, "events.db"), events)
      for (const suffix of ["", "-wal", "-shm"]) {
        rmSync(join(dataDir, `models.db${suffix}`), { force: true })
      }
    },
    catch: notFilled
  })

const writeCopies = (file: string, events: number) => {
  const reader = makeLogReader(file)
  const template = reader.all(0, 1_000, Infinity).find(({ type }) => type === "SlipVerified")
  reader.close()
  if (template === undefined) throw new BenchError({ message: "the log holds no verified slip to copy" })
  const database = openForWriting(file)
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
  const append = makeAppendBatch(database)
  for (let written = 0; written < events; written += TOGETHER) {
    append(
      Array.from({ length: Math.min(TOGETHER, events - written) }, (_, index) => {
        const at = Date.parse(template.metadata.at) - (events - written - index) * MILLIS_BETWEEN
        const { data, id, metadata, type } = copyOf(template, at)
        return [randomStreamLike(template), -1, [id, type, JSON.stringify(data), JSON.stringify(metadata)]] as const
      }),
      Date.now()
    )
  }
  // Flushed, so that the disk is not still busy with it when something is measured.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}

const MILLIS_BETWEEN = 250

const enginesIn = (dataDir: string) =>
  layerEngines({
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
  })

const notFilled = (error: unknown) =>
  error instanceof BenchError ? error : new BenchError({ message: `the log was not filled: ${String(error)}` })

/** `slip-{service}-{digest}` with a random digest. */
const randomStreamLike = ({ stream }: RecordedEvent): string =>
  stream.slice(0, stream.lastIndexOf("-") + 1) + randomBytes(16).toString("hex")

/** A copy that was made at another time, in milliseconds since 1970. Its ids tell that time, as those of the service do. */
const copyOf = ({ data, metadata, type }: RecordedEvent, millis: number): NewEvent => {
  const verificationId = uuidV7(millis)
  const at = new Date(millis).toISOString()
  return {
    id: randomUUID(),
    type,
    data: { ...data, verificationId, at },
    metadata: { ...metadata, at, causationId: verificationId, correlationId: uuidV7(millis) }
  }
}
