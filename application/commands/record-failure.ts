import { Effect } from "effect"
import type { FailureCode } from "../../domain/verification.ts"
import { streamOf, verifications } from "../aggregates.ts"
import { type CommandContext, handleCommand } from "../handle-command.ts"
import type { Asked, SlipPending, SlipUnknown, UpstreamUnavailable } from "./ask-bank.ts"
import type { NoSlip } from "./slip-source.ts"

/** The ways in which a verification ends without a slip and leaves that in the trail. */
export type VerificationFailure = NoSlip | SlipUnknown | SlipPending | UpstreamUnavailable

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

const WHY: Readonly<Record<NoSlip["reason"] | SlipUnknown["reason"], string>> = {
  "too-long": "the QR text is longer than any slip's",
  "broken-tlv": "the QR text is broken",
  "wrong-crc": "the checksum of the QR text is wrong",
  "not-a-slip": "the QR text is not that of a bank slip",
  "no-qr": "there is no QR code in the picture",
  "no-slip-qr": "no QR code in the picture is that of a bank slip",
  "unreadable": "the picture could not be read in time",
  "unknown-bank": "no bank has the sending bank's code",
  "not-found-upstream": "the bank knows no such transfer"
}

const describe = (failure: VerificationFailure): { code: FailureCode; why: string; asked: Asked | null } => {
  switch (failure._tag) {
    case "NoSlip":
      return { code: "SLIP_NOT_FOUND", why: WHY[failure.reason], asked: null }
    case "SlipUnknown":
      return { code: "SLIP_NOT_FOUND", why: WHY[failure.reason], asked: failure.asked }
    case "SlipPending":
      return { code: "SLIP_PENDING", why: "the bank does not know the transfer yet", asked: failure.asked }
    case "UpstreamUnavailable":
      return { code: "API_SERVER_ERROR", why: failure.why, asked: failure.asked }
  }
}

/** Puts a verification that found nothing into the log. */
export const recordFailure = Effect.fnUntraced(function*(
  verification: FailedVerification,
  failure: VerificationFailure,
  context: CommandContext
) {
  const { asked, code, why } = describe(failure)
  yield* handleCommand(verifications, streamOf.verification(verification.verificationId), {
    _tag: "RecordFailure",
    ...verification,
    code,
    why,
    gateway: asked?.gateway ?? null,
    gatewayMillis: asked?.tookMillis ?? null
  }, context)
})
