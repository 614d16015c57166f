import { Effect, type Exit, Layer, Metric } from "effect"
import {
  type AttemptError,
  SlipVerifier,
  type VerificationError,
  type VerificationRequest
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
type Failure = VerificationError | AttemptError

/** Adds metrics and spans to verifications: those of requests and the attempts of jobs. */
export const layerInstrumentedSlipVerifier: Layer.Layer<SlipVerifier, never, SlipVerifier> = Layer.effect(
  SlipVerifier,
  Effect.gen(function* () {
    const verifier = yield* SlipVerifier
    const instrumented = Effect.fnUntraced(
      function* <Request extends Pick<VerificationRequest, "branchId" | "source">, A, E extends Failure>(
        name: "verify" | "attempt",
        of: "request" | "job",
        run: (request: Request) => Effect.Effect<A, E>,
        isRepeated: (value: A) => boolean
      ) {
        const count = yield* countByLabel(verifications, "outcome", outcomes, { of })
        return (request: Request) =>
          inSpan(
            {
              name: `SlipVerifier.${name}`,
              attributes: { "sliptrail.branch.id": request.branchId, "sliptrail.source": request.source._tag },
              resultOf: (exit) => resultOf(outcomeOf(exit, isRepeated))
            },
            measured(run(request), (exit) => count(outcomeOf(exit, isRepeated)))
          )
      }
    )
    return SlipVerifier.of({
      verify: yield* instrumented("verify", "request", verifier.verify, isDuplicate),
      attempt: yield* instrumented("attempt", "job", verifier.attempt, ({ verification }) => isDuplicate(verification))
    })
  })
)

const isDuplicate = ({ duplicate }: Verification): boolean => duplicate !== null

const outcomeOf = <A>(
  exit: Exit.Exit<A, Failure>,
  isRepeated: (value: A) => boolean
): Outcome => {
  if (exit._tag === "Success") return isRepeated(exit.value) ? "duplicate" : "verified"
  const failure = failureOf(exit)
  if (failure === undefined) return "failed"
  return meanings[failure._tag === "AttemptFailed" ? failure.failure._tag : failure._tag]
}

const meanings: Readonly<Record<Exclude<Failure["_tag"], "AttemptFailed">, Outcome>> = {
  NoSlip: "not-found",
  WrongSlipKind: "not-found",
  SeveralSlips: "not-found",
  SlipUnknown: "not-found",
  SlipPending: "pending",
  QuotaExceeded: "quota-exceeded",
  UnchargedLimitExceeded: "limit-exceeded",
  ImageUrlFailed: "picture-refused",
  ImageUnusable: "picture-refused",
  UpstreamUnavailable: "bank-away",
  ReaderUnavailable: "service-away",
  QuotaError: "service-away",
  ReadModelsError: "service-away",
  EventStoreError: "service-away",
  WrongExpectedRevision: "service-away"
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
