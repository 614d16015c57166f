import { Clock, Effect, Layer, Semaphore } from "effect"
import { Claims } from "../../../../ports/claims.ts"
import { Leases } from "../../../../ports/leases.ts"
import { RateLimiter } from "../../../../ports/rate-limiter.ts"
import {
  type Bucket,
  type Cost,
  isFull,
  moreTokens,
  ONE_REQUEST,
  type Rate,
  takeTokens
} from "../../../../ports/token-bucket.ts"

// Coordination among the fibers of one process, for services whose stores are embedded.

export const layerClaimsMemory: Layer.Layer<Claims> = Layer.sync(Claims, () => {
  /** When each claim expires, in milliseconds since 1970. */
  const expiries = new Map<string, number>()

  return Claims.of({
    claim: (name, forMillis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now < (expiries.get(name) ?? -Infinity)) return false
        expiries.set(name, now + forMillis)
        return true
      }),
    release: (name) => Effect.sync(() => void expiries.delete(name))
  })
})

export const layerLeasesMemory: Layer.Layer<Leases> = Layer.sync(Leases, () => {
  const byName = new Map<string, Semaphore.Semaphore>()

  const leaseOf = (name: string): Semaphore.Semaphore => {
    const lease = byName.get(name) ?? Semaphore.makeUnsafe(1)
    byName.set(name, lease)
    return lease
  }

  return Leases.of({
    whileHolding: (name, run) => Effect.suspend(() => leaseOf(name).withPermits(1)(run))
  })
})

/** The smallest number of buckets at which full buckets are swept. */
const MIN_SWEEP_SIZE = 10_000

/** Token buckets of branches. */
export const layerRateLimiterMemory = (rate: Rate): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, Bucket>()
    let sweepAt = MIN_SWEEP_SIZE

    /** Deletes full buckets. The next sweep runs at twice the remaining number, because a sweep visits every bucket. */
    const sweep = (now: number) => {
      for (const [branchId, bucket] of buckets) if (isFull(rate, bucket, now)) buckets.delete(branchId)
      sweepAt = Math.max(MIN_SWEEP_SIZE, 2 * buckets.size)
    }

    const take = (branchId: string, cost: Cost) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (buckets.size >= sweepAt) sweep(now)
        const { bucket, status } = takeTokens(rate, buckets.get(branchId), now, cost)
        buckets.set(branchId, bucket)
        return status
      })

    return RateLimiter.of({
      take: (branchId) => take(branchId, ONE_REQUEST),
      takeMore: (branchId, tokens, maxDebt) => take(branchId, moreTokens(tokens, maxDebt))
    })
  })
