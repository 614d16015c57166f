import { Clock, Effect } from "effect"
import { type CommandContext, handleCommand, type RequestIds } from "../events/handle-command.ts"
import { describeVerification, NOT_ASKED, type VerificationFailure } from "./failures.ts"
import { remarkDigest } from "../sealing/sealed-data.ts"
import { streamOf, verifications } from "../../domain/events/aggregates.ts"
import { recordIn } from "../../domain/events/sealed-record.ts"
import { ExpectedError } from "../../domain/expected-error.ts"
import { isoTime } from "../../domain/time.ts"

/** The ids of a verification, for its events. */
interface VerificationIds extends RequestIds {
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  readonly remark?: string | undefined
}

/** The context of the command that appends a verification. `at` is in milliseconds since 1970. */
export const contextOf = (
  { actor, clientRequestId, correlationId, verificationId }: VerificationIds,
  at: number
): CommandContext => ({
  commandId: verificationId,
  correlationId,
  clientRequestId,
  actor,
  at
})

/** The record of the event that `recordFailure` appends. */
export const recordOfFailure = (verificationId: string): string =>
  recordIn(streamOf.verification(verificationId), verificationId)

/** The digests of the slip that a verification read. */
export interface ReadSlip {
  readonly slipDigest: string | null
  readonly tailDigest: string | undefined
}

/** No slip was read. */
export const NOT_READ: ReadSlip = { slipDigest: null, tailDigest: undefined }

/** No slip was verified. `verify` records the failure, `attempt` passes it to the job. */
class SlipFailed
  extends ExpectedError("SlipFailed")<{ readonly failure: VerificationFailure; readonly read: ReadSlip }> {}

export const slipFailed = (read: ReadSlip) => (failure: VerificationFailure) =>
  Effect.fail(new SlipFailed({ failure, read }))

/** Appends a verification that found no slip. */
export const recordFailure = Effect.fnUntraced(function* (
  request: VerificationIds,
  failure: VerificationFailure,
  { slipDigest, tailDigest }: ReadSlip,
  at: number
) {
  const { branchId, serviceId, verificationId } = request
  const { asked, code, why } = describeVerification(failure)
  // A new literal of the stored field would stop older processes.
  const storedCode = code === "WRONG_SLIP_KIND" || code === "SEVERAL_SLIPS" ? "SLIP_NOT_FOUND" : code
  yield* handleCommand(verifications, streamOf.verification(verificationId), {
    _tag: "RecordFailure",
    verificationId,
    serviceId,
    branchId,
    at: isoTime(at),
    code: storedCode,
    why,
    slipDigest,
    ...(asked ?? NOT_ASKED),
    wrongKind: failure._tag === "WrongSlipKind" ? failure.found : undefined,
    severalSlips: failure._tag === "SeveralSlips" ? true : undefined,
    remarkDigest: yield* remarkDigest(branchId, request.remark),
    tookMillis: Math.max(0, (yield* Clock.currentTimeMillis) - at),
    tailDigest
  }, contextOf(request, at))
})
