import { Effect, Layer, Metric } from "effect"
import { Quota } from "../../../ports/quota.ts"
import { inSpan } from "../../../ports/tracing.ts"
import { failureOf, measured, secondsBoundaries } from "../measured.ts"
import { clockOf, tallyOf } from "../series.ts"

/** Quotas, measured and in traces. */
export const layerWatchedQuota: Layer.Layer<Quota, never, Quota> = Layer.effect(
  Quota,
  Effect.gen(function* () {
    const quota = yield* Quota
    const count = yield* tallyOf(decisions, "outcome", [
      "reserved",
      "exceeded",
      "not-ready",
      "unavailable",
      "held-too-long"
    ])
    const took = yield* clockOf(decisionSeconds)
    const reserve: Quota["Service"]["reserve"] = (reservation, limit) =>
      inSpan(
        { name: "Quota.reserve" },
        measured(quota.reserve(reservation, limit), (exit, seconds) => {
          took(seconds)
          const failure = failureOf(exit)
          if (exit._tag === "Success") count(exit.value)
          else if (failure !== undefined) count(failure.reason)
        })
      )
    return Quota.of({
      reserve,
      release: (reservation) => inSpan({ name: "Quota.release" }, quota.release(reservation)),
      usage: (branchId, month) => inSpan({ name: "Quota.usage" }, quota.usage(branchId, month))
    })
  })
)

const decisions = Metric.counter("sliptrail_quota_decisions_total", {
  description: "Units of quota that were asked for, by outcome; branches without a limit ask for none",
  incremental: true
})
const decisionSeconds = Metric.histogram("sliptrail_quota_decision_seconds", {
  description: "Time to decide on a unit of quota",
  boundaries: secondsBoundaries
})
