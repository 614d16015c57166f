import { Clock, Context, Effect, Layer, Metric } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { waitLeft } from "../../domain/waits.ts"
import { RateLimiter, type RateLimitStatus } from "../../ports/rate-limiter.ts"
import type { Rate } from "../../ports/token-bucket.ts"
import { Uncharged, UnchargedLimiter, UnchargedLimitExceeded } from "../../ports/uncharged-limiter.ts"

/** The allowance of each kind for a day; 0 is no limit. */
export type Allowances = Readonly<Record<Uncharged, number>>

const SECONDS_OF_A_DAY = 86_400

/** Branches whose allowance was used up, which a process remembers. */
const REMEMBERED_BRANCHES = 10_000

/** Makes the limiter from two token buckets for each branch. `layerBuckets` is the engine of the rate limit. */
export const layerUnchargedLimiter = <E, R>(
  perDay: Allowances,
  layerBuckets: (rate: Rate) => Layer.Layer<RateLimiter, E, R>
): Layer.Layer<UnchargedLimiter, E, R> =>
  Layer.effect(
    UnchargedLimiter,
    Effect.gen(function* () {
      const bucketsOf = Effect.fnUntraced(function* (burst: number) {
        if (burst === 0) return undefined
        const rate = { perSecond: burst / SECONDS_OF_A_DAY, burst }
        return Context.get(yield* Layer.build(Layer.fresh(layerBuckets(rate))), RateLimiter)
      })
      const buckets = { repeat: yield* bucketsOf(perDay.repeat), failure: yield* bucketsOf(perDay.failure) }
      /** When an allowance without one has the next one, in milliseconds since 1970. */
      const usedUpUntil = new CappedMap<string, number>(REMEMBERED_BRANCHES)
      const nameOf = (kind: Uncharged, branchId: string) => `${kind}:${branchId}`

      /** The first check after the last one was taken must fail. */
      const remember = Effect.fnUntraced(function* (name: string, status: RateLimitStatus | undefined) {
        if (status === undefined || status.remaining > 0) return
        usedUpUntil.set(name, (yield* Clock.currentTimeMillis) + status.retryAfterSeconds * 1_000)
      })

      const refuse = (kind: Uncharged, retryAfterSeconds: number) =>
        Effect.andThen(
          Metric.update(Metric.withAttributes(refusals, { kind }), 1),
          Effect.fail(new UnchargedLimitExceeded({ kind, retryAfterSeconds: Math.max(1, retryAfterSeconds) }))
        )
      return UnchargedLimiter.of({
        take: Effect.fnUntraced(function* (kind, branchId) {
          const name = nameOf(kind, branchId)
          const status = yield* buckets[kind]?.take(name) ?? Effect.undefined
          yield* remember(name, status)
          if (status?.isAdmitted === false) return yield* refuse(kind, status.retryAfterSeconds)
        }),
        check: Effect.fnUntraced(function* (kind, branchId) {
          const until = usedUpUntil.get(nameOf(kind, branchId))
          if (until === undefined) return
          const left = waitLeft(until, yield* Clock.currentTimeMillis, SECONDS_OF_A_DAY * 1_000)
          if (left > 0) return yield* refuse(kind, Math.ceil(left / 1_000))
        }),
        owe: Effect.fnUntraced(function* (kind, branchId) {
          const name = nameOf(kind, branchId)
          yield* remember(name, yield* buckets[kind]?.takeMore(name, 1, perDay[kind]) ?? Effect.undefined)
        }),
        checkDebt: Effect.fnUntraced(function* (branchId) {
          for (const kind of Uncharged) {
            const status = yield* buckets[kind]?.takeMore(nameOf(kind, branchId), 0) ?? Effect.undefined
            if (status?.isAdmitted === false) return yield* refuse(kind, status.retryAfterSeconds)
          }
        })
      })
    })
  )

const refusals = Metric.counter("sliptrail_uncharged_refused_total", {
  description: "Requests that were refused because their branch used up its daily allowance of repeats or failures",
  incremental: true
})
