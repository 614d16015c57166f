import { Effect, Layer } from "effect"
import { layerLeasesRedis } from "../../../../infrastructure/stores/redis/leases.ts"
import { leasesContract } from "../../../contracts/leases.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../support/redis-server.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const leasesAt = (url: string) => layerLeasesRedis().pipe(Layer.provide(patientConnection(url)))

const server = onceForFile(startRedisServer())

leasesContract("Redis", () => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => leasesAt(server().url))))

const cluster = onceForFile(startRedisCluster)

leasesContract(
  "a Redis Cluster of three nodes",
  () => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => leasesAt(cluster().url)))
)
