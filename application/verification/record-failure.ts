import { Effect } from "effect"
import { streamOf } from "../../domain/events/streams.ts"
import { verifications } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand } from "../events/handle-command.ts"
import { describeVerification, NOT_ASKED, type VerificationFailure } from "./describe-failure.ts"

/** Whose verification it was. */
export interface FailedVerification {
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  /** ISO 8601. */
  readonly at: string
  /** Null when no slip was read. */
  readonly slipDigest: string | null
}

/** Puts a verification that found nothing into the log. */
export const recordFailure = Effect.fnUntraced(function* (
  verification: FailedVerification,
  failure: VerificationFailure,
  context: CommandContext
) {
  const { asked, code, why } = describeVerification(failure)
  yield* handleCommand(verifications, streamOf.verification(verification.verificationId), {
    _tag: "RecordFailure",
    ...verification,
    code,
    why,
    ...(asked ?? NOT_ASKED)
  }, context)
})
