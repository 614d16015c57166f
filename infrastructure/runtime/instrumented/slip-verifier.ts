import { Effect, type Exit, Layer, Metric } from "effect"
import {
  type Attempted,
  type AttemptError,
  SlipVerifier,
  type VerificationError
} from "../../../application/verification/verify-slip.ts"
import type { Verification } from "../../../application/verification/verification-view.ts"
import { inSpan, type SpanResult } from "../../../ports/tracing.ts"
import { countByLabel, failureOf, measured } from "../../platform/telemetry/metrics.ts"

const outcomes = [
  "verified",
  "duplicate",
  "not-found",
  "pending",
  "quota-exceeded",
  "limit-exceeded",
  "picture-refused",
  "bank-away",
  "service-away",
  "failed"
] as const

type Outcome = typeof outcomes[number]

/** Adds metrics and spans to verifications: those of requests and the attempts of jobs. */
export const layerInstrumentedSlipVerifier: Layer.Layer<SlipVerifier, never, SlipVerifier> = Layer.effect(
  SlipVerifier,
  Effect.gen(function* () {
    const verifier = yield* SlipVerifier
    const verified = yield* countByLabel(verifications, "outcome", outcomes, { of: "request" })
    const attempted = yield* countByLabel(verifications, "outcome", outcomes, { of: "job" })
    return SlipVerifier.of({
      verify: (request) =>
        inSpan(
          {
            name: "SlipVerifier.verify",
            attributes: { "sliptrail.branch.id": request.branchId, "sliptrail.source": request.source._tag },
            resultOf: (exit) => resultOf(outcomeOf(exit, isDuplicate))
          },
          measured(verifier.verify(request), (exit) => verified(outcomeOf(exit, isDuplicate)))
        ),
      attempt: (request) =>
        inSpan(
          {
            name: "SlipVerifier.attempt",
            attributes: { "sliptrail.branch.id": request.branchId, "sliptrail.source": request.source._tag },
            resultOf: (exit) => resultOf(outcomeOf(exit, wasDuplicate))
          },
          measured(verifier.attempt(request), (exit) => attempted(outcomeOf(exit, wasDuplicate)))
        )
    })
  })
)

const isDuplicate = ({ duplicate }: Verification): boolean => duplicate !== null
const wasDuplicate = ({ verification }: Attempted): boolean => isDuplicate(verification)

const outcomeOf = <A>(
  exit: Exit.Exit<A, VerificationError | AttemptError>,
  isRepeated: (value: A) => boolean
): Outcome => {
  if (exit._tag === "Success") return isRepeated(exit.value) ? "duplicate" : "verified"
  const failure = failureOf(exit)
  if (failure === undefined) return "failed"
  return meaningOf(failure._tag === "AttemptFailed" ? failure.failure : failure)
}

const meaningOf = ({ _tag }: Exclude<VerificationError, { readonly _tag: "AttemptFailed" }>): Outcome => {
  switch (_tag) {
    case "NoSlip":
    case "WrongSlipKind":
    case "SeveralSlips":
    case "SlipUnknown":
      return "not-found"
    case "SlipPending":
      return "pending"
    case "QuotaExceeded":
      return "quota-exceeded"
    case "UnchargedLimitExceeded":
      return "limit-exceeded"
    case "ImageUrlFailed":
    case "ImageUnusable":
      return "picture-refused"
    case "UpstreamUnavailable":
      return "bank-away"
    case "ReaderUnavailable":
    case "QuotaError":
    case "ReadModelsError":
    case "EventStoreError":
    case "WrongExpectedRevision":
      return "service-away"
  }
}

/** The outcomes that are errors of the service. A slip that is not found is not an error. */
const serviceErrors: ReadonlyArray<Outcome> = ["bank-away", "service-away", "failed"]

const resultOf = (outcome: Outcome): SpanResult => ({
  attributes: { "sliptrail.outcome": outcome },
  error: serviceErrors.includes(outcome) ? outcome : undefined
})

const verifications = Metric.counter("sliptrail_verifications_total", {
  description: "Verifications by outcome, of requests and of attempts of jobs",
  incremental: true
})
