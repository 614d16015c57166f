import { Effect, Layer } from "effect"
import { readModelsContract } from "../../../../contracts/read-models.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"

const server = onceForFile(startRedisServer())
const emptyServer = Effect.suspend(() => server().command("FLUSHALL"))

readModelsContract(
  "Redis",
  () => Layer.unwrap(Effect.as(emptyServer, readModelsAt(server().url))),
  { lose: emptyServer }
)

const cluster = onceForFile(startRedisCluster)
const emptyCluster = Effect.suspend(() => cluster().onAll("FLUSHALL"))

readModelsContract(
  "a Redis Cluster of three nodes",
  () => Layer.unwrap(Effect.map(emptyCluster, () => readModelsAt(cluster().url))),
  { lose: emptyCluster }
)
