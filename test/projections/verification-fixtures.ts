import type { VerificationEvent } from "../../domain/failed-verification.ts"
import { satang } from "../../domain/money.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"

type SlipEventOf<Tag> = Extract<SlipEvent, { readonly _tag: Tag }>

const at = "2026-11-21T08:45:00.000Z"

const verdict = {
  branchId: "silom",
  at,
  month: "2026-11",
  charged: true,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null
}

/** The first verification of a slip in its service. */
export const verifiedFirst: SlipEventOf<"SlipVerified"> = {
  _tag: "SlipVerified",
  ...verdict,
  verificationId: "v-1",
  serviceId: "s-1",
  sendingBank: "004",
  amount: satang(150_050),
  transferredAt: "2026-11-21T15:44:00+07:00",
  transfer: { k: "master", n: "bm9uY2U=", c: "c2VhbGVk" },
  gateway: "sandbox",
  gatewayMillis: 3
}

/** A later verification of the slip. */
export const verifiedAgain: SlipEventOf<"SlipVerifiedAgain"> = {
  _tag: "SlipVerifiedAgain",
  ...verdict,
  verificationId: "v-2"
}

/** A verification of a picture without a slip. */
export const verificationFailed: VerificationEvent = {
  _tag: "VerificationFailed",
  verificationId: "v-3",
  serviceId: "s-1",
  branchId: "silom",
  at,
  code: "SLIP_NOT_FOUND",
  why: "no slip in the picture",
  slipDigest: null,
  gateway: null,
  gatewayMillis: null
}
