import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter, type RateStanding } from "../../../ports/rate-limiter.ts"
import { ReadModelsError } from "../../../ports/read-models.ts"
import { type Rate, standingOf } from "../../../ports/token-bucket.ts"
import { clockLua } from "./clock.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { textsOf } from "./reply.ts"
import { script } from "./script.ts"

/** A request waits so long for its count at most. */
const PATIENCE = Duration.millis(250)

/** Once Redis kept a request waiting, or gave no count, nobody asks it for so long. */
const PAUSE = Duration.seconds(1)

/**
 * Token buckets among all processes on one Redis, under its clock. Requests are never kept waiting for it, nor refused
 * because of it: while it is away or slow, there is no limit.
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
          Effect.map((reply): RateStanding => {
            const [admitted, left] = textsOf(reply)
            return standingOf(rate, Number(left), admitted === "1")
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
          // One request finds out whether it is back.
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

/**
 * `takeToken` of the token bucket, as it is there. Gives whether there was a token, and what is left, in thousandths of
 * one. The bucket is a text of what is left and the time, and goes when it would be full. KEYS: bucket. ARGV: tokens a
 * second, burst.
 */
const takeScript = script(
  clockLua,
  `
local rate, most, now = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000, now_millis()
local left, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
left = left and math.min(most, left + math.max(0, now - at) * rate) or most
local admitted = left >= 1000
if admitted then left = left - 1000 end
local text = string.format('%.17g', left)
local until_full = math.max(1, math.ceil((most - left) / rate))
redis.call('SET', KEYS[1], text .. ' ' .. string.format('%.0f', now), 'PX', string.format('%.0f', until_full))
return {admitted and '1' or '0', text}
`
)
