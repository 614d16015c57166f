import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Claims } from "../../../../ports/claims.ts"
import { layerClaimsRedis } from "../../../../infrastructure/stores/redis/leases.ts"
import { layerRedisConnection } from "../../../../infrastructure/stores/redis/connection.ts"
import { claimsContract } from "../../../contracts/claims.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../support/redis-server.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const claimsAt = (url: string) => layerClaimsRedis.pipe(Layer.provide(patientConnection(url)))

/** An answer may take some seconds on a busy machine, but not as long as a server is paused. */
const claimsInTime = (url: string) =>
  layerClaimsRedis.pipe(
    Layer.provide(layerRedisConnection({ url: Redacted.make(url), commandTimeout: "4 seconds" }))
  )

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
  it.live("is unknown while Redis is unavailable, and granted afterwards", () =>
    Effect.gen(function* () {
      const redis = yield* startRedisServer()
      const { claim, release } = Context.get(yield* Layer.build(Layer.fresh(claimsAt(redis.url))), Claims)

      yield* redis.stop()
      assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
      yield* release("job/1")
      yield* redis.start

      yield* eventuallyHolds(Effect.orElseSucceed(claim("job/1", 60_000), () => false))
    }))

  it.live("is unknown on a Redis that is full", () =>
    Effect.gen(function* () {
      const redis = yield* startRedisServer({ arguments: ["--maxmemory", "1"] })
      const { claim } = Context.get(yield* Layer.build(Layer.fresh(claimsAt(redis.url))), Claims)
      assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
    }))

  it.live("whose answer was lost is granted when it is requested again", () =>
    Effect.gen(function* () {
      const redis = yield* startRedisServer()
      const { claim } = Context.get(yield* Layer.build(Layer.fresh(claimsInTime(redis.url))), Claims)
      assert.isTrue(yield* claim("job/0", 60_000))

      yield* redis.pause
      assert.strictEqual((yield* Effect.flip(claim("job/1", 60_000)))._tag, "ClaimUnknown")
      yield* redis.resume

      yield* eventuallyHolds(Effect.orElseSucceed(claim("job/1", 60_000), () => false))
      assert.strictEqual(yield* redis.command("EXISTS", "sliptrail:{job%2F1}:claim"), 1)
    }))
})
