import { Effect, Layer } from "effect"
import { layerQuotaRedis } from "../../../../../infrastructure/adapters/stores/redis/quota.ts"
import { quotaContract, quotaNaming } from "../../../../contracts/quota.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"

/** No grace period, because these tests have no holders from before a loss. */
const quota = (naming: typeof quotaNaming) => layerQuotaRedis({ ...naming, gracePeriod: 0 })

const server = onceForFile(startRedisServer())

quotaContract("Redis", {
  engine: () =>
    Layer.unwrap(
      Effect.map(server().command("FLUSHALL"), () => readModelsAt(server().url, { countedBy: quotaNaming.model }))
    ),
  quota
})

const cluster = onceForFile(startRedisCluster)

quotaContract("a Redis Cluster of three nodes", {
  engine: () =>
    Layer.unwrap(
      Effect.map(cluster().onAll("FLUSHALL"), () => readModelsAt(cluster().url, { countedBy: quotaNaming.model }))
    ),
  quota
})
