import { Effect, Layer, type Redacted } from "effect"
import { quotaNaming } from "../../projections/models/quota.ts"
import type { Claims } from "../../ports/claims.ts"
import type { EventStore, EventStoreError } from "../../ports/event-store.ts"
import type { Leases } from "../../ports/leases.ts"
import type { Quota } from "../../ports/quota.ts"
import { RateLimiter } from "../../ports/rate-limiter.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Rate } from "../../ports/token-bucket.ts"
import { layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly } from "../stores/sqlite/events/store.ts"
import {
  layerInstrumentedEventStore,
  layerInstrumentedQuota,
  layerInstrumentedRateLimiter,
  layerInstrumentedReadModels
} from "../telemetry/instrumented/stores.ts"
import { layerClaimsMemory, layerLeasesMemory, layerRateLimiterMemory } from "../stores/memory/coordination.ts"
import { layerQuotaEmbedded } from "../stores/sqlite/read-models/quota.ts"
import { layerReadModelsEmbedded, layerReadModelsEmbeddedReadOnly } from "../stores/sqlite/read-models/read-models.ts"
import type { Settings } from "../settings/settings.ts"
import { eventsFile, modelsFile } from "./data-folder.ts"

export type StoreSettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "redisUrl">
export type RateSettings = Pick<Settings, "rateLimit" | "rateLimitBurst">

/** Whether several processes may share what these settings name; otherwise the data folder belongs to one of them. */
export const isShared = ({ eventStoreUrl, redisUrl }: StoreSettings): boolean =>
  eventStoreUrl !== undefined && redisUrl !== undefined

/**
 * The file that must be there once a service has run on these settings; undefined when nothing of it is in the folder.
 */
export const fileInFolder = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings): string | undefined => {
  if (eventStoreUrl === undefined) return eventsFile(dataDir)
  return redisUrl === undefined ? modelsFile(dataDir) : undefined
}

/** Where the data is, in words and without secrets. */
export const describeStores = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings): string => {
  const log = eventStoreUrl === undefined ? undefined : "the event store of EVENTSTORE_URL"
  const models = redisUrl === undefined ? undefined : "the Redis of REDIS_URL"
  if (log === undefined) return models === undefined ? `data in ${dataDir}` : `data in ${dataDir} and ${models}`
  return `data in ${log} and ${models ?? dataDir}`
}

/** Loaded only when it is asked for: the clients of the servers take memory that the embedded stores do not need. */
const lazily = <Out, E, R>(load: () => Promise<Layer.Layer<Out, E, R>>) => Layer.unwrap(Effect.promise(load))

/**
 * A request is to be answered within five seconds also while the server hangs. An append is tried up to three times
 * with the same ids, so these are short.
 */
const limits = { appendTimeout: "1 second", readTimeout: "2 seconds" } as const

const eventStoreDb = (connectionString: Redacted.Redacted) =>
  lazily(async () => {
    const { layerEventStoreDb } = await import("../stores/eventstoredb/store.ts")
    return layerEventStoreDb({ connectionString, ...limits })
  })

const redis = (url: Redacted.Redacted) =>
  lazily(async () => (await import("../stores/redis/connection.ts")).layerRedisConnection({ url }))

const readModelsRedis = (url: Redacted.Redacted) =>
  lazily(async () => {
    const { layerReadModelsRedis } = await import("../stores/redis/read-models.ts")
    return layerReadModelsRedis({ countedBy: quotaNaming.model })
  }).pipe(Layer.provideMerge(redis(url)))

/** How fast branches may ask; undefined: as fast as they can. */
const rateOf = ({ rateLimit, rateLimitBurst }: RateSettings): Rate | undefined =>
  rateLimit === 0 ? undefined : { perSecond: rateLimit, burst: rateLimitBurst }

const noLimit = Layer.succeed(RateLimiter, RateLimiter.of({ take: () => Effect.undefined }))

/** Everything that Redis keeps, over the log. */
const modelsInRedis = (url: Redacted.Redacted, rate: Rate | undefined) =>
  lazily(async () => {
    const [{ layerQuotaRedis }, { layerLeasesRedis }, { layerClaimsRedis }, { layerRateLimiterRedis }] = await Promise
      .all([
        import("../stores/redis/quota.ts"),
        import("../stores/redis/leases.ts"),
        import("../stores/redis/leases.ts"),
        import("../stores/redis/rate-limiter.ts")
      ])
    const limiter = rate === undefined ? noLimit : layerRateLimiterRedis(rate)
    return Layer.mergeAll(layerQuotaRedis(quotaNaming), layerLeasesRedis(), layerClaimsRedis, limiter)
  }).pipe(Layer.provideMerge(readModelsRedis(url)))

const modelsInFolder = (folder: string, rate: Rate | undefined) => {
  const limiter = rate === undefined ? noLimit : layerRateLimiterMemory(rate)
  return layerQuotaEmbedded(quotaNaming).pipe(
    Layer.provideMerge(layerReadModelsEmbedded({ file: modelsFile(folder) })),
    Layer.merge(Layer.mergeAll(layerLeasesMemory, layerClaimsMemory, limiter))
  )
}

type Log = Layer.Layer<EventStore, EventStoreError>
type Models = Layer.Layer<
  ReadModels | Quota | Leases | Claims | RateLimiter,
  EventStoreError | ReadModelsError,
  EventStore
>

/** The log, the read models, the quotas, the leases, the claims and the rate limits of the settings, to be written. */
export const layerStores = (settings: StoreSettings & RateSettings) => {
  const { dataDir, eventStoreUrl, redisUrl } = settings
  const rate = rateOf(settings)
  const log: Log = eventStoreUrl === undefined
    ? layerEventStoreEmbedded({ file: eventsFile(dataDir) })
    : eventStoreDb(eventStoreUrl)
  const models: Models = redisUrl === undefined ? modelsInFolder(dataDir, rate) : modelsInRedis(redisUrl, rate)
  return watched(settings).pipe(Layer.provideMerge(models), Layer.provideMerge(log))
}

/** What everybody above the stores has of them: measured, and in traces. */
const watched = ({ eventStoreUrl, redisUrl }: StoreSettings) =>
  Layer.mergeAll(
    layerInstrumentedEventStore(eventStoreUrl === undefined ? "sqlite" : "eventstoredb"),
    layerInstrumentedReadModels(redisUrl === undefined ? "sqlite" : "redis"),
    layerInstrumentedQuota,
    layerInstrumentedRateLimiter
  )

/** The log of the settings as it is, for looking only. */
export const layerLogReadOnly = ({ dataDir, eventStoreUrl }: StoreSettings): Log =>
  eventStoreUrl === undefined
    ? layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) })
    : eventStoreDb(eventStoreUrl)

/** The read models of the settings as they are, for looking only. */
export const layerModelsReadOnly = ({ dataDir, redisUrl }: StoreSettings): Layer.Layer<ReadModels, ReadModelsError> =>
  redisUrl === undefined ? layerReadModelsEmbeddedReadOnly({ file: modelsFile(dataDir) }) : readModelsRedis(redisUrl)

/** Log and read models as they are, for looking only, also beside running services. */
export const layerStoresReadOnly = (settings: StoreSettings) =>
  Layer.merge(layerLogReadOnly(settings), layerModelsReadOnly(settings))
