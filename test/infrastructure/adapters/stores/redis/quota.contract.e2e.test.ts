import { Effect, Layer } from "effect"
import { layerQuotaRedis } from "../../../../../infrastructure/adapters/stores/redis/quota.ts"
import { quotaContract } from "../../../../contracts/quota.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { model } from "./given-quota.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"

/** No grace period, because these tests have no holders from before a loss. */
const quota = (options: { readonly model: string }) => layerQuotaRedis({ ...options, gracePeriod: 0 })

const server = onceForFile(startRedisServer())

quotaContract("Redis", {
  engine: () =>
    Layer.unwrap(
      Effect.map(server().command("FLUSHALL"), () => readModelsAt(server().url, { countedBy: model }))
    ),
  quota
})

const cluster = onceForFile(startRedisCluster)

quotaContract("a Redis Cluster of three nodes", {
  engine: () =>
    Layer.unwrap(
      Effect.map(cluster().onAll("FLUSHALL"), () => readModelsAt(cluster().url, { countedBy: model }))
    ),
  quota
})
