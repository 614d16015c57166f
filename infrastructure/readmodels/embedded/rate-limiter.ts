import { Clock, Effect, Layer } from "effect"
import { RateLimiter } from "../../../application/ports/rate-limiter.ts"
import { type Bucket, type Rate, takeToken } from "../../../application/token-bucket.ts"

/** Buckets that are kept at most: those that are full again are forgotten before. */
const MOST_BUCKETS = 10_000

/** Token buckets in the memory of the one process that serves. */
export const layerRateLimiterEmbedded = (rate: Rate): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, Bucket>()
    const fillMillis = (rate.burst / rate.perSecond) * 1_000

    const sweep = (now: number) => {
      for (const [branchId, { at }] of buckets) if (now - at >= fillMillis) buckets.delete(branchId)
    }

    return RateLimiter.of({
      take: (branchId) =>
        rate.perSecond === 0 ? Effect.undefined : Effect.map(Clock.currentTimeMillis, (now) => {
          if (buckets.size >= MOST_BUCKETS) sweep(now)
          const { bucket, standing } = takeToken(rate, buckets.get(branchId), now)
          buckets.set(branchId, bucket)
          return standing
        })
    })
  })
