import { Effect, Layer, Metric } from "effect"
import { RateLimiter } from "../../../ports/rate-limiter.ts"
import { inSpan } from "../../../ports/tracing.ts"
import { tallyOf } from "../series.ts"

/** Rate limits, measured and in traces. */
export const layerWatchedRateLimiter: Layer.Layer<RateLimiter, never, RateLimiter> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const count = yield* tallyOf(decisions, "outcome", ["admitted", "refused", "unlimited"])
    return RateLimiter.of({
      take: (branchId) =>
        inSpan(
          { name: "RateLimiter.take" },
          Effect.map(limiter.take(branchId), (standing) => {
            count(standing === undefined ? "unlimited" : standing.isAdmitted ? "admitted" : "refused")
            return standing
          })
        )
    })
  })
)

const decisions = Metric.counter("sliptrail_rate_limit_decisions_total", {
  description: "Requests judged by their branch's rate limit, by outcome; unlimited: there is none, or nobody counts",
  incremental: true
})
