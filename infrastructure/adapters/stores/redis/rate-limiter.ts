import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter, type RateLimitStatus } from "../../../../ports/rate-limiter.ts"
import { ReadModelsError } from "../../../../ports/read-models.ts"
import { type Cost, moreTokens, ONE_REQUEST, type Rate, rateLimitStatus } from "../../../../ports/token-bucket.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { loadScripts, textsOf } from "./scripts.ts"

const { take: takeScript } = loadScripts("rate-limit", "take")

/** The longest time that a request waits for Redis. */
const MAX_WAIT = Duration.millis(250)

/** How long requests do not use Redis after it failed or was too slow. */
const PAUSE = Duration.seconds(1)

/**
 * Token buckets among all processes on one Redis, by its clock. While Redis is unavailable or slow there is no limit: no
 * request waits for Redis, and none is refused.
 */
export const layerRateLimiterRedis = (rate: Rate): Layer.Layer<RateLimiter, never, RedisConnection> =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const redis = yield* RedisConnection
      let isUnavailable = false
      /** On the monotonic clock. */
      let pausedUntil = -Infinity

      const count = (branchId: string, { least, tokens }: Cost) =>
        redis.run("rateLimit", takeScript, [keyOf(branchId)], [rate.perSecond, rate.burst, tokens, least]).pipe(
          Effect.timeoutOrElse({ duration: MAX_WAIT, orElse: () => Effect.fail(tooSlow()) }),
          Effect.map((reply): RateLimitStatus => {
            const [admitted, left] = textsOf(reply)
            return rateLimitStatus(rate, Number(left), admitted === "1")
          })
        )

      const onFailure = Effect.fnUntraced(function* (error: ReadModelsError) {
        pausedUntil = yield* nextAttempt
        if (isUnavailable) return
        isUnavailable = true
        yield* Effect.logWarning("Redis does not count requests: there is no rate limit until it does", error)
      })

      const onSuccess = Effect.suspend(() => {
        if (!isUnavailable) return Effect.void
        isUnavailable = false
        return Effect.logInfo("Redis counts requests again: the rate limit holds")
      })

      const take = Effect.fnUntraced(function* (branchId: string, cost: Cost) {
        const now = yield* monotonicMillis
        if (now < pausedUntil) return undefined
        // Only one request tests whether Redis works again.
        if (isUnavailable) pausedUntil = yield* nextAttempt
        return yield* count(branchId, cost).pipe(
          Effect.tap(() => onSuccess),
          Effect.catch((error) => Effect.as(onFailure(error), undefined))
        )
      })

      return RateLimiter.of({
        take: (branchId) => take(branchId, ONE_REQUEST),
        takeMore: (branchId, tokens, maxDebt) => take(branchId, moreTokens(tokens, maxDebt))
      })
    })
  )

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const nextAttempt = Effect.map(monotonicMillis, (now) => now + Duration.toMillis(PAUSE))

const tooSlow = () =>
  new ReadModelsError({
    operation: "rateLimit",
    reason: "timeout",
    cause: new Error(`no answer within ${Duration.toMillis(MAX_WAIT)} ms`)
  })

const keyOf = (branchId: string): string => `${keyPrefixOf(branchId)}:rate`
