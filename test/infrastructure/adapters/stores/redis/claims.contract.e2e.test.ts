import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { Claims } from "../../../../../ports/claims.ts"
import { layerClaimsRedis } from "../../../../../infrastructure/adapters/stores/redis/leases.ts"
import { claimsContract } from "../../../../contracts/claims.ts"
import { startCuttingProxy } from "../../../../support/cutting-proxy.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const claimsAt = (url: string) => layerClaimsRedis.pipe(Layer.provide(patientConnection(url)))

const server = onceForFile(startRedisServer())

claimsContract("Redis", {
  layer: () => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => claimsAt(server().url))),
  another: () => claimsAt(server().url)
})

const cluster = onceForFile(startRedisCluster)

claimsContract("a Redis Cluster of three nodes", {
  layer: () => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => claimsAt(cluster().url))),
  another: () => claimsAt(cluster().url)
})

describe("a claim on Redis", () => {
  it.live("is unknown while Redis is unavailable, and granted afterwards", function* () {
    const redis = yield* startRedisServer()
    const { claim, release } = Context.get(yield* Layer.build(Layer.fresh(claimsAt(redis.url))), Claims)

    yield* redis.stop()
    assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
    yield* release("job/1")
    yield* redis.start

    yield* eventuallyHolds(Effect.orElseSucceed(claim("job/1", 60_000), () => false))
  })

  it.live("is unknown on a Redis that is full", function* () {
    const redis = yield* startRedisServer({ arguments: ["--maxmemory", "1"] })
    const { claim } = Context.get(yield* Layer.build(Layer.fresh(claimsAt(redis.url))), Claims)
    assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
  })

  it.live("whose answer was lost is granted when it is requested again", function* () {
    const redis = yield* startRedisServer()
    const proxy = yield* startCuttingProxy(redis.port)
    const { claim } = Context.get(
      yield* Layer.build(Layer.fresh(claimsAt(`redis://127.0.0.1:${proxy.port}`))),
      Claims
    )
    // The first claim also loads the script.
    assert.isTrue(yield* claim("job/0", 60_000))

    yield* proxy.swallowNext
    assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
    assert.strictEqual(yield* redis.command("EXISTS", "sliptrail:{job%2F1}:claim"), 1)

    yield* eventuallyHolds(Effect.orElseSucceed(claim("job/1", 60_000), () => false))
  })
})
