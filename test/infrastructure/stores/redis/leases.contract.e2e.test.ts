import { Effect, Layer, Redacted } from "effect"
import { layerRedisConnection } from "../../../../infrastructure/stores/redis/connection.ts"
import { layerLeasesRedis } from "../../../../infrastructure/stores/redis/leases.ts"
import { leasesContract } from "../../../contracts/leases.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../support/redis-server.ts"
import { onceForFile } from "./given-redis.ts"

const leasesAt = (url: string) =>
  layerLeasesRedis().pipe(Layer.provide(layerRedisConnection({ url: Redacted.make(url) })))

const server = onceForFile(startRedisServer())

leasesContract("Redis", () => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => leasesAt(server().url))))

const cluster = onceForFile(startRedisCluster)

leasesContract(
  "a Redis Cluster of three nodes",
  () => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => leasesAt(cluster().url)))
)
