import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter, type RateLimitStatus } from "../../../ports/rate-limiter.ts"
import { ReadModelsError } from "../../../ports/read-models.ts"
import { type Rate, rateLimitStatus } from "../../../ports/token-bucket.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { loadScripts, textsOf } from "./scripts.ts"

const { take: takeScript } = loadScripts("rate-limit", "take")

/** A request waits at most so long for Redis. */
const PATIENCE = Duration.millis(250)

/** After Redis failed or was too slow, no request asks it for so long. */
const PAUSE = Duration.seconds(1)

/**
 * Token buckets among all processes on one Redis, by its clock. While Redis is unavailable or slow there is no limit: no
 * request waits for it or is refused because of it.
 */
export const layerRateLimiterRedis = (rate: Rate): Layer.Layer<RateLimiter, never, RedisConnection> =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const redis = yield* RedisConnection
      let isAway = false
      /** On the monotonic clock. */
      let pausedUntil = -Infinity

      const count = (branchId: string) =>
        redis.run("rateLimit", takeScript, [keyOf(branchId)], [rate.perSecond, rate.burst]).pipe(
          Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(tooSlow()) }),
          Effect.map((reply): RateLimitStatus => {
            const [admitted, left] = textsOf(reply)
            return rateLimitStatus(rate, Number(left), admitted === "1")
          })
        )

      const lost = Effect.fnUntraced(function* (error: ReadModelsError) {
        pausedUntil = yield* soon
        if (isAway) return
        isAway = true
        yield* Effect.logWarning("Redis does not count requests: there is no rate limit until it does", error)
      })

      const back = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo("Redis counts requests again: the rate limit holds")
      })

      return RateLimiter.of({
        take: Effect.fnUntraced(function* (branchId) {
          const now = yield* monotonicMillis
          if (now < pausedUntil) return undefined
          // One request tries whether Redis is back.
          if (isAway) pausedUntil = yield* soon
          return yield* count(branchId).pipe(
            Effect.tap(() => back),
            Effect.catch((error) => Effect.as(lost(error), undefined))
          )
        })
      })
    })
  )

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const soon = Effect.map(monotonicMillis, (now) => now + Duration.toMillis(PAUSE))

const tooSlow = () =>
  new ReadModelsError({
    operation: "rateLimit",
    reason: "timeout",
    cause: new Error(`no answer within ${Duration.toMillis(PATIENCE)} ms`)
  })

const keyOf = (branchId: string): string => `${keyPrefixOf(branchId)}:rate`
