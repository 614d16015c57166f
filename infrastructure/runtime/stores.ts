import { Context, Effect, Layer, type Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quotaNaming } from "../../projections/models/quota.ts"
import type { Claims } from "../../ports/claims.ts"
import type { EventStore, EventStoreError } from "../../ports/event-store.ts"
import type { Leases } from "../../ports/leases.ts"
import { APPEND_TRY_MILLIS, READ_MILLIS } from "../../ports/log-waits.ts"
import type { Quota } from "../../ports/quota.ts"
import { RateLimiter } from "../../ports/rate-limiter.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import type { Rate } from "../../ports/token-bucket.ts"
import { layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly } from "../adapters/stores/sqlite/events/store.ts"
import {
  layerInstrumentedEventStore,
  layerInstrumentedQuota,
  layerInstrumentedRateLimiter,
  layerInstrumentedReadModels
} from "./instrumented/stores.ts"
import { layerClaimsMemory, layerLeasesMemory, layerRateLimiterMemory } from "../adapters/stores/memory/coordination.ts"
import { layerLogFollower } from "../adapters/stores/sqlite/read-models/log-follower.ts"
import { layerModelBuilder } from "../adapters/stores/sqlite/read-models/model-builder.ts"
import { layerQuotaEmbedded } from "../adapters/stores/sqlite/read-models/quota.ts"
import {
  layerReadModelsEmbedded,
  layerReadModelsEmbeddedReadOnly
} from "../adapters/stores/sqlite/read-models/read-models.ts"
import type { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { eventsFile, modelsFile } from "./data-folder.ts"
import { layerModelBuilderRedis } from "./redis-model-builder.ts"
import { type Allowances, layerUnchargedLimiter } from "./uncharged-limits.ts"

export type StoreSettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "redisUrl">
export type RateSettings = Pick<Settings, "rateLimit" | "rateLimitBurst" | "repeatsPerDay" | "failuresPerDay">

/** Whether several processes can share the stores. Otherwise one process owns the data folder. */
export const isShared = ({ eventStoreUrl, redisUrl }: StoreSettings): boolean =>
  eventStoreUrl !== undefined && redisUrl !== undefined

/** A file that exists in the data folder after the first start; undefined when no store is in the folder. */
export const fileInFolder = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings): string | undefined => {
  if (eventStoreUrl === undefined) return eventsFile(dataDir)
  return redisUrl === undefined ? modelsFile(dataDir) : undefined
}

/** Describes where the data is, without secrets. */
export const describeStores = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings): string => {
  const log = eventStoreUrl === undefined ? undefined : "the event store of EVENTSTORE_URL"
  const models = redisUrl === undefined ? undefined : "the Redis of REDIS_URL"
  if (log === undefined) return models === undefined ? `data in ${dataDir}` : `data in ${dataDir} and ${models}`
  return `data in ${log} and ${models ?? dataDir}`
}

/** Loads a module only when it is needed: the clients of the servers take memory. */
const lazily = <Out, E, R>(load: () => Promise<Layer.Layer<Out, E, R>>) => Layer.unwrap(Effect.promise(load))

/** The limits of one try: an append of unknown outcome is tried again with the same ids (ports/log-waits.ts). */
export const eventStoreLimits = { appendTimeout: APPEND_TRY_MILLIS, readTimeout: READ_MILLIS } as const

const eventStoreDb = (connectionString: Redacted.Redacted, appends: boolean) =>
  lazily(async () => {
    const { layerEventStoreDb } = await import("../adapters/stores/eventstoredb/store.ts")
    return layerEventStoreDb({ connectionString, appends, ...eventStoreLimits })
  })

const redis = (url: Redacted.Redacted) =>
  lazily(async () => (await import("../adapters/stores/redis/connection.ts")).layerRedisConnection({ url }))

const readModelsRedis = (url: Redacted.Redacted) =>
  lazily(async () => {
    const { layerReadModelsRedis } = await import("../adapters/stores/redis/read-models.ts")
    return layerReadModelsRedis({ countedBy: quotaNaming.model })
  }).pipe(Layer.provideMerge(redis(url)))

/** The rate limit of a branch; undefined for no limit. */
const rateOf = ({ rateLimit, rateLimitBurst }: RateSettings): Rate | undefined =>
  rateLimit === 0 ? undefined : { perSecond: rateLimit, burst: rateLimitBurst }

const noLimit = Layer.succeed(
  RateLimiter,
  RateLimiter.of({ take: () => Effect.undefined, takeMore: () => Effect.undefined })
)

const allowancesOf = ({ failuresPerDay, repeatsPerDay }: RateSettings): Allowances => ({
  repeat: repeatsPerDay,
  failure: failuresPerDay
})

/** The read models and the other stores in Redis. */
const modelsInRedis = (
  { dataDir, eventStoreUrl }: StoreSettings,
  url: Redacted.Redacted,
  rate: Rate | undefined,
  allowances: Allowances
) =>
  lazily(async () => {
    const [
      { layerQuotaRedis },
      { layerLeasesRedis },
      { layerClaimsRedis },
      { layerRateLimiterRedis },
      { layerNewStreamsRedis }
    ] = await Promise
      .all([
        import("../adapters/stores/redis/quota.ts"),
        import("../adapters/stores/redis/leases.ts"),
        import("../adapters/stores/redis/leases.ts"),
        import("../adapters/stores/redis/rate-limiter.ts"),
        import("../adapters/stores/redis/new-streams.ts")
      ])
    const limiter = rate === undefined ? noLimit : layerRateLimiterRedis(rate)
    const uncharged = layerUnchargedLimiter(allowances, layerRateLimiterRedis)
    // An embedded log answers itself.
    const newStreams = eventStoreUrl === undefined ? Layer.empty : layerNewStreamsRedis
    const builder = layerModelBuilderRedis({
      log: eventStoreUrl === undefined ? { file: eventsFile(dataDir) } : { connectionString: eventStoreUrl },
      redisUrl: url
    })
    return Layer.mergeAll(
      layerQuotaRedis(quotaNaming),
      layerLeasesRedis(),
      layerClaimsRedis,
      limiter,
      uncharged,
      newStreams,
      builder
    )
  }).pipe(Layer.provideMerge(readModelsRedis(url)))

const modelsInFolder = (
  { dataDir: folder, eventStoreUrl }: StoreSettings,
  rate: Rate | undefined,
  allowances: Allowances
) => {
  const limiter = rate === undefined ? noLimit : layerRateLimiterMemory(rate)
  const file = modelsFile(folder)
  const log = eventStoreUrl === undefined ? eventsFile(folder) : undefined
  const builder = log === undefined ? Layer.empty : layerModelBuilder({ log, file })
  return Layer.mergeAll(
    layerQuotaEmbedded(quotaNaming),
    builder,
    layerLogFollower
  ).pipe(
    Layer.provideMerge(layerReadModelsEmbedded({ file, log })),
    Layer.merge(Layer.mergeAll(layerLeasesMemory, layerClaimsMemory, limiter)),
    Layer.merge(layerUnchargedLimiter(allowances, layerRateLimiterMemory))
  )
}

type Log = Layer.Layer<EventStore, EventStoreError>
type Models = Layer.Layer<
  ReadModels | Quota | Leases | Claims | RateLimiter | UnchargedLimiter,
  EventStoreError | ReadModelsError,
  EventStore
>

/** The log of the settings for reading and writing. */
export const layerLog = ({ dataDir, eventStoreUrl }: StoreSettings): Log =>
  eventStoreUrl === undefined
    ? layerEventStoreEmbedded({ file: eventsFile(dataDir) })
    : eventStoreDb(eventStoreUrl, true)

/** The stores of the settings for reading and writing. */
export const layerStores = (settings: StoreSettings & RateSettings) => {
  const { redisUrl } = settings
  const rate = rateOf(settings)
  const allowances = allowancesOf(settings)
  const models: Models = redisUrl === undefined
    ? modelsInFolder(settings, rate, allowances)
    : modelsInRedis(settings, redisUrl, rate, allowances)
  return instrumented(settings).pipe(Layer.provideMerge(models), Layer.provideMerge(layerLog(settings)))
}

/** Adds metrics and spans to the stores. */
const instrumented = ({ eventStoreUrl, redisUrl }: StoreSettings) =>
  Layer.mergeAll(
    layerInstrumentedEventStore(eventStoreUrl === undefined ? "sqlite" : "eventstoredb"),
    layerInstrumentedReadModels(redisUrl === undefined ? "sqlite" : "redis"),
    layerInstrumentedQuota,
    layerInstrumentedRateLimiter
  )

/** The log of the settings, read-only. */
export const layerLogReadOnly = ({ dataDir, eventStoreUrl }: StoreSettings): Log =>
  eventStoreUrl === undefined
    ? layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) })
    : eventStoreDb(eventStoreUrl, false)

/** The read models of the settings, read-only. */
export const layerModelsReadOnly = ({ dataDir, redisUrl }: StoreSettings): Layer.Layer<ReadModels, ReadModelsError> =>
  redisUrl === undefined ? layerReadModelsEmbeddedReadOnly({ file: modelsFile(dataDir) }) : readModelsRedis(redisUrl)

/** Log and read models, read-only. Works while services run. */
export const layerStoresReadOnly = (settings: StoreSettings) =>
  Layer.merge(layerLogReadOnly(settings), layerModelsReadOnly(settings))

/** A temporary folder, deleted when the scope closes. */
export const scratchFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-compare-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Empty read models in a temporary folder, deleted when the scope closes. */
export const scratchModels = Effect.gen(function* () {
  const file = join(yield* scratchFolder, "fresh.db")
  return Context.get(yield* Layer.build(layerReadModelsEmbedded({ file })), ReadModels)
})
