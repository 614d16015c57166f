import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { layerLeasesRedis } from "../../../../../infrastructure/adapters/stores/redis/leases.ts"
import { Leases } from "../../../../../ports/leases.ts"
import { leasesContract } from "../../../../contracts/leases.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const leasesAt = (url: string) => layerLeasesRedis().pipe(Layer.provide(patientConnection(url)))

const server = onceForFile(startRedisServer())

leasesContract("Redis", () => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => leasesAt(server().url))))

describe("a lease on a Redis that is full", () => {
  it.live("is waited for, which the log says once", function* () {
    const full = yield* startRedisServer({ arguments: ["--maxmemory", "1"] })
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))])
    const { whileHolding } = Context.get(yield* Layer.build(Layer.fresh(leasesAt(full.url))), Leases)
    const held = yield* Effect.forkChild(Effect.provide(whileHolding("full", Effect.succeed("held")), logger))
    yield* eventuallyHolds(Effect.sync(() => logged.length > 0))
    yield* full.command("CONFIG", "SET", "maxmemory", "0")
    assert.strictEqual(yield* Fiber.join(held), "held")
    assert.lengthOf(logged, 1)
    assert.match(logged[0] ?? "", /Redis gives no lease.*lease=\S*full/u)
  })
})

const cluster = onceForFile(startRedisCluster)

leasesContract(
  "a Redis Cluster of three nodes",
  () => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => leasesAt(cluster().url)))
)
