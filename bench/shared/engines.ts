import { Effect, Layer, Redacted } from "effect"
import { quotaNaming } from "../../projections/models/quota.ts"
import { layerRedisConnection } from "../../infrastructure/adapters/stores/redis/connection.ts"
import { layerLeasesRedis } from "../../infrastructure/adapters/stores/redis/leases.ts"
import { layerQuotaRedis } from "../../infrastructure/adapters/stores/redis/quota.ts"
import { layerReadModelsRedis } from "../../infrastructure/adapters/stores/redis/read-models.ts"
import { startRedisServer } from "../../test/support/redis-server.ts"
import { BenchError } from "../figure.ts"
import { openBareRedis } from "./bare-redis.ts"

/** Starts a Redis for both sides. It has no persistence, so that the disk does not limit the result. */
export const startBenchRedis = Effect.gen(function* () {
  const server = yield* startRedisServer()
  const bare = yield* Effect.acquireRelease(
    Effect.promise(() => openBareRedis(server.port)),
    ({ close }) => Effect.sync(close)
  )
  return { server, bare }
})

/** The Redis layers of a service process. */
export const layerModels = (url: string) =>
  Layer.mergeAll(layerQuotaRedis(quotaNaming), layerLeasesRedis()).pipe(
    Layer.provideMerge(layerReadModelsRedis({ countedBy: quotaNaming.model })),
    Layer.provide(layerRedisConnection({ url: Redacted.make(url) }))
  )

export const orBenchError = (error: unknown): BenchError =>
  error instanceof BenchError ? error : new BenchError({ message: String(error) })
