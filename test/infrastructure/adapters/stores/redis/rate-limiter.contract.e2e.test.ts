import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../../../../ports/rate-limiter.ts"
import { type Bucket, moreTokens, type Rate, takeTokens } from "../../../../../ports/token-bucket.ts"
import { layerRateLimiterRedis } from "../../../../../infrastructure/adapters/stores/redis/rate-limiter.ts"
import { rateLimiterContract } from "../../../../contracts/rate-limiter.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { type RedisServer, startRedisServer } from "../../../../support/redis-server.ts"
import { until } from "../../../../support/advance-clock.ts"
import { onceForFile, patientConnection, timeOf } from "./given-redis.ts"

const limiterAt = (url: string, rate: Rate) => layerRateLimiterRedis(rate).pipe(Layer.provide(patientConnection(url)))

/** The remainder and the time of a stored bucket. */
const partsOf = (stored: unknown) => typeof stored === "string" ? stored.split(" ") : []

/** Sets the times of all stored buckets back, because a test cannot change the clock of Redis. */
const age = (nodes: ReadonlyArray<RedisServer>, millis: number) =>
  Effect.forEach(
    nodes,
    Effect.fnUntraced(function* ({ command }) {
      const keys = yield* command("KEYS", "sliptrail:*:rate")
      for (const key of Array.isArray(keys) ? keys : []) {
        const [left, at] = partsOf(yield* command("GET", key))
        yield* command("SET", key, `${left} ${Number(at) - millis}`, "KEEPTTL")
      }
    }),
    { discard: true }
  )

const server = onceForFile(startRedisServer())

rateLimiterContract("Redis", {
  layer: (rate) => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => limiterAt(server().url, rate))),
  another: (rate) => limiterAt(server().url, rate),
  after: (millis) => Effect.suspend(() => age([server()], millis))
})

const cluster = onceForFile(startRedisCluster)

rateLimiterContract("a Redis Cluster of three nodes", {
  layer: (rate) => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => limiterAt(cluster().url, rate))),
  another: (rate) => limiterAt(cluster().url, rate),
  after: (millis) => Effect.suspend(() => age(cluster().nodes, millis))
})

const KEY = "sliptrail:{silom}:rate"

/*
 * These tests run under the test clock, so that a request waits for Redis as long as the machine needs. The clock advances
 * only where Redis does not answer.
 */

describe("a bucket on Redis", () => {
  const bucketIn = (redis: RedisServer): Effect.Effect<Bucket | undefined> =>
    Effect.map(redis.command("GET", KEY), (stored) => {
      const [left, at] = partsOf(stored)
      return left === undefined ? undefined : { left: Number(left), at: Number(at) }
    })

  const limiterOf = (redis: RedisServer, rate: Rate) =>
    Effect.map(Layer.build(Layer.fresh(limiterAt(redis.url, rate))), (context) => Context.get(context, RateLimiter))

  // An empty bucket is full after 17 minutes, so that none expires between the request and the comparison.
  it.effect.each([
    { perSecond: 50, burst: 50_000 },
    { perSecond: 7, burst: 7_000 },
    { perSecond: 100 / 3, burst: 33_333 },
    { perSecond: 0.1, burst: 100 }
  ])("equals the bucket of the pure function exactly: $perSecond per second, burst $burst", function* (rate) {
    const redis = server()
    yield* redis.command("FLUSHALL")
    const { take, takeMore } = yield* limiterOf(redis, rate)

    const status = yield* takeMore("silom", rate.burst)
    const emptied = (yield* bucketIn(redis)) ?? assert.fail("the bucket has expired")
    assert.deepStrictEqual(
      { bucket: emptied, status },
      takeTokens(rate, undefined, emptied.at, moreTokens(rate.burst))
    )
    for (let n = 0; n < 60; n++) {
      yield* age([redis], 7 * n * n)
      const before = yield* bucketIn(redis)
      const status = yield* take("silom")
      const after = (yield* bucketIn(redis)) ?? assert.fail("the bucket has expired")
      assert.deepStrictEqual({ bucket: after, status }, takeTokens(rate, before, after.at))
    }
  })

  it.effect("expires when it is full", function* () {
    const redis = server()
    yield* redis.command("FLUSHALL")
    const { take } = yield* limiterOf(redis, { perSecond: 1 / 1_000, burst: 8 })
    for (let n = 0; n < 7; n++) yield* take("silom")

    const before = yield* timeOf(redis)
    yield* take("silom")
    const after = yield* timeOf(redis)
    const { left = Number.NaN } = (yield* bucketIn(redis)) ?? {}
    // A thousandth of a token is added each second.
    const millisUntilFull = Math.round((8_000 - left) * 1_000)
    const expiry = Number(yield* redis.command("PEXPIRETIME", KEY))
    assert.isAtLeast(expiry, before + millisUntilFull)
    // The time until then is rounded up to a millisecond.
    assert.isAtMost(expiry, after + millisUntilFull + 1)

    yield* redis.command("PEXPIRE", KEY, 1)
    yield* until(Effect.map(redis.command("EXISTS", KEY), (there) => there === 0))
    assert.strictEqual((yield* take("silom"))?.remaining, 7)
  })

  it.effect("that is unreadable counts as full", function* () {
    const redis = server()
    yield* redis.command("SET", KEY, "nonsense")
    const { take } = yield* limiterOf(redis, { perSecond: 1 / 1_000, burst: 8 })
    assert.strictEqual((yield* take("silom"))?.remaining, 7)
  })
})

describe("the rate limiter without Redis", () => {
  /** A burst of one, so that an enforced limit rejects the second request. */
  const rate = { perSecond: 1 / 1_000, burst: 1 }

  const given = Effect.gen(function* () {
    const redis = yield* startRedisServer()
    const limiter = Context.get(
      yield* Layer.build(Layer.fresh(limiterAt(redis.url, rate))),
      RateLimiter
    )
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
    const take = (branchId: string) => Effect.provide(limiter.take(branchId), logged)
    yield* take("silom")
    const linesWith = (message: string) => lines.filter((line) => line.includes(message)).length
    const isEnforced = Effect.map(take("silom"), (status) => status?.isAdmitted === false)
    return { redis, take, isEnforced, linesWith }
  })

  it.effect("rejects no request, and enforces the limit when Redis is back", function* () {
    const { isEnforced, linesWith, redis, take } = yield* given

    yield* redis.stop()
    for (let n = 0; n < 20; n++) assert.isUndefined(yield* take("silom"))
    yield* redis.start

    yield* until(isEnforced.pipe(Effect.tap(() => take("siam"))))
    assert.strictEqual(linesWith("Redis does not count requests"), 1)
    assert.strictEqual(linesWith("Redis counts requests again"), 1)
  })

  it.effect("delays requests only briefly while Redis hangs, and most of them not at all", function* () {
    const { isEnforced, linesWith, redis, take } = yield* given

    yield* redis.pause
    const delayed = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(take("silom")))
    yield* TestClock.adjust(249)
    assert.isTrue(delayed.every((fiber) => fiber.pollUnsafe() === undefined))
    yield* TestClock.adjust(1)
    assert.isTrue(delayed.every((fiber) => fiber.pollUnsafe() !== undefined))
    assert.isTrue((yield* Fiber.joinAll(delayed)).every((status) => status === undefined))
    // The clock stands still: a request that waited would not end.
    for (let n = 0; n < 200; n++) assert.isUndefined(yield* take("silom"))
    yield* redis.resume

    yield* until(isEnforced)
    assert.strictEqual(linesWith("Redis does not count requests"), 1)
    assert.strictEqual(linesWith("Redis counts requests again"), 1)
  })
})
