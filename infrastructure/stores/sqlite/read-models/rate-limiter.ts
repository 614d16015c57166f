import { Clock, Effect, Layer } from "effect"
import { RateLimiter } from "../../../../ports/rate-limiter.ts"
import { type Bucket, type Rate, takeToken } from "../../../../ports/token-bucket.ts"

/** With fewer buckets than this, nobody looks for those that are full again. */
const FEW_BUCKETS = 10_000

/** Token buckets in the memory of the one process that serves. */
export const layerRateLimiterEmbedded = (rate: Rate): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, Bucket>()
    const fillMillis = (rate.burst / rate.perSecond) * 1_000
    let sweepAt = FEW_BUCKETS

    /** Forgets buckets that are full again. The next one waits until there are twice as many: each looks at all. */
    const sweep = (now: number) => {
      for (const [branchId, { at }] of buckets) if (now - at >= fillMillis) buckets.delete(branchId)
      sweepAt = Math.max(FEW_BUCKETS, 2 * buckets.size)
    }

    return RateLimiter.of({
      take: (branchId) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (buckets.size >= sweepAt) sweep(now)
          const { bucket, standing } = takeToken(rate, buckets.get(branchId), now)
          buckets.set(branchId, bucket)
          return standing
        })
    })
  })
