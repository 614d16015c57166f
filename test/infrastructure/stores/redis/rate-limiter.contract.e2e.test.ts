import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { RateLimiter } from "../../../../ports/rate-limiter.ts"
import { type Bucket, type Rate, takeTokens } from "../../../../ports/token-bucket.ts"
import { layerRateLimiterRedis } from "../../../../infrastructure/stores/redis/rate-limiter.ts"
import { rateLimiterContract } from "../../../contracts/rate-limiter.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { type RedisServer, startRedisServer } from "../../../support/redis-server.ts"
import { until } from "../../../support/advance-clock.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const limiterAt = (url: string, rate: Rate) => layerRateLimiterRedis(rate).pipe(Layer.provide(patientConnection(url)))

/** The current time of Redis, in milliseconds. */
const timeOf = ({ command }: RedisServer) =>
  Effect.map(command("TIME"), (time) => {
    const [seconds = 0, micros = 0] = Array.isArray(time) ? time.map(Number) : []
    return seconds * 1_000 + micros / 1_000
  })

/** Waits by the clock of Redis, which a test cannot change. */
const afterOn = Effect.fnUntraced(function* (redis: RedisServer, millis: number) {
  const end = (yield* timeOf(redis)) + millis
  yield* until(Effect.map(timeOf(redis), (now) => now >= end))
})

const server = onceForFile(startRedisServer())

rateLimiterContract("Redis", {
  layer: (rate) => Layer.unwrap(Effect.map(server().command("FLUSHALL"), () => limiterAt(server().url, rate))),
  another: (rate) => limiterAt(server().url, rate),
  after: (millis) => Effect.suspend(() => afterOn(server(), millis))
})

const cluster = onceForFile(startRedisCluster)

rateLimiterContract("a Redis Cluster of three nodes", {
  layer: (rate) => Layer.unwrap(Effect.map(cluster().onAll("FLUSHALL"), () => limiterAt(cluster().url, rate))),
  another: (rate) => limiterAt(cluster().url, rate),
  after: (millis) => Effect.suspend(() => afterOn(cluster().nodes[0] ?? assert.fail("no node"), millis))
})

const KEY = "sliptrail:{silom}:rate"

describe("a bucket on Redis", () => {
  const bucketIn = (redis: RedisServer): Effect.Effect<Bucket | undefined> =>
    Effect.map(redis.command("GET", KEY), (text) => {
      if (typeof text !== "string") return undefined
      const [left = Number.NaN, at = Number.NaN] = text.split(" ").map(Number)
      return { left, at }
    })

  it.live.each([
    { perSecond: 50, burst: 5 },
    { perSecond: 7, burst: 3 },
    { perSecond: 100 / 3, burst: 2 },
    { perSecond: 0.1, burst: 40 }
  ])(
    "equals the bucket of the pure function exactly: $perSecond per second, burst $burst",
    (rate) =>
      Effect.gen(function* () {
        const redis = server()
        yield* redis.command("FLUSHALL")
        const { take } = Context.get(yield* Layer.build(Layer.fresh(limiterAt(redis.url, rate))), RateLimiter)

        let compared = 0
        for (let n = 0; n < 60; n++) {
          const before = yield* bucketIn(redis)
          const status = yield* take("silom")
          const after = yield* bucketIn(redis)
          // On a busy machine the bucket may already be full again.
          if (after === undefined) continue
          assert.deepStrictEqual({ bucket: after, status }, takeTokens(rate, before, after.at))
          compared++
        }
        assert.isAbove(compared, 0)
      })
  )

  it.live("expires when it is full", () =>
    Effect.gen(function* () {
      const redis = server()
      yield* redis.command("FLUSHALL")
      const { take } = Context.get(
        yield* Layer.build(Layer.fresh(limiterAt(redis.url, { perSecond: 10, burst: 8 }))),
        RateLimiter
      )
      for (let n = 0; n < 8; n++) yield* take("silom")
      const expiry = Number(yield* redis.command("PTTL", KEY))
      assert.isAtLeast(expiry, 1)
      assert.isAtMost(expiry, 800)

      yield* eventuallyHolds(Effect.map(redis.command("EXISTS", KEY), (there) => there === 0))
      assert.strictEqual((yield* take("silom"))?.remaining, 7)
    }))

  it.live("that is unreadable counts as full", () =>
    Effect.gen(function* () {
      const redis = server()
      yield* redis.command("SET", KEY, "nonsense")
      const { take } = Context.get(
        yield* Layer.build(Layer.fresh(limiterAt(redis.url, { perSecond: 1, burst: 8 }))),
        RateLimiter
      )
      assert.strictEqual((yield* take("silom"))?.remaining, 7)
    }))
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

  it.live("rejects no request, and enforces the limit when Redis is back", () =>
    Effect.gen(function* () {
      const { isEnforced, linesWith, redis, take } = yield* given

      yield* redis.stop()
      for (let n = 0; n < 20; n++) assert.isUndefined(yield* take("silom"))
      yield* redis.start

      yield* eventuallyHolds(isEnforced.pipe(Effect.tap(() => take("siam"))))
      assert.strictEqual(linesWith("Redis does not count requests"), 1)
      assert.strictEqual(linesWith("Redis counts requests again"), 1)
    }))

  it.live("delays requests only briefly while Redis hangs, and most of them not at all", () =>
    Effect.gen(function* () {
      const { isEnforced, linesWith, redis, take } = yield* given

      yield* redis.pause
      const started = performance.now()
      yield* Effect.forEach(Array.from({ length: 50 }), () => take("silom"), { concurrency: "unbounded" })
      for (let n = 0; n < 200; n++) assert.isUndefined(yield* take("silom"))
      // If each of the 200 requests waited a quarter of a second, this would take 50 seconds.
      assert.isBelow(performance.now() - started, 20_000)
      yield* redis.resume

      yield* eventuallyHolds(isEnforced)
      assert.strictEqual(linesWith("Redis does not count requests"), 1)
      assert.strictEqual(linesWith("Redis counts requests again"), 1)
    }))
})
