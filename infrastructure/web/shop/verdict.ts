import type { Verification } from "../../../application/verification/verification-view.ts"
import type { ReasonCode } from "../../../domain/slip/conditions.ts"
import { statusOf } from "../api/failures.ts"
import { type Failure, toApiError } from "../http/operations/application-failures.ts"

/** What a clerk learns about a slip. */
export type VerdictKind =
  | "accepted"
  | "duplicate"
  | "wrongAccount"
  | "wrongAmount"
  | "tooEarly"
  | "tooLate"
  | "wrongBank"
  | "unclear"
  | "notFound"
  | "tooOld"
  | "notASlip"
  | "severalSlips"
  | "unreadable"
  | "notAPicture"
  | "tooLarge"
  | "walletPicture"
  | "walletPending"
  | "walletsOff"
  | "quota"
  | "tooMany"
  | "away"
  | "gaveUp"

/** `warn`: the slip is neither proved nor refuted. */
export type Tone = "good" | "bad" | "warn"

const bad: ReadonlySet<VerdictKind> = new Set([
  "duplicate",
  "wrongAccount",
  "wrongAmount",
  "tooEarly",
  "tooLate",
  "wrongBank",
  "notFound",
  "notASlip"
])

export const toneOf = (kind: VerdictKind): Tone => kind === "accepted" ? "good" : bad.has(kind) ? "bad" : "warn"

export interface Verdict {
  readonly kind: VerdictKind
  /** The HTTP status of the page. */
  readonly status: number
  /** Absent when no slip was verified. */
  readonly verification?: Verification
  /** Further reasons why the slip is not accepted. */
  readonly others: ReadonlyArray<VerdictKind>
  /** When another attempt may succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Present when the clerk must send the same picture again; with the amount of the form, as it was typed. */
  readonly sendAgain?: { readonly amount: string | undefined }
}

const kinds: Readonly<Record<ReasonCode, VerdictKind>> = {
  amount_differs: "wrongAmount",
  amount_too_low: "wrongAmount",
  amount_too_high: "wrongAmount",
  transferred_too_early: "tooEarly",
  transferred_too_late: "tooLate",
  receiver_differs: "wrongAccount",
  receiver_indeterminate: "unclear",
  sending_bank_not_allowed: "wrongBank",
  duplicate: "duplicate"
}

/** The first of these that applies is the headline: it decides most about the goods. */
const order: ReadonlyArray<VerdictKind> = [
  "wrongAccount",
  "duplicate",
  "wrongAmount",
  "tooEarly",
  "tooLate",
  "wrongBank",
  "unclear"
]

/** The verdict on a verified slip. An old verification without a verdict is judged by whether it is a duplicate. */
export const verdictOf = (verification: Verification): Verdict => {
  const { acceptance, duplicate } = verification
  const codes = acceptance?.reasons.map(({ code }) => code) ?? (duplicate === null ? [] : ["duplicate" as const])
  const found = new Set(codes.map((code) => kinds[code]))
  const [kind = "accepted", ...others] = order.filter((candidate) => found.has(candidate))
  return { kind, status: 200, verification, others }
}

const kindOfFailure = (failure: Failure): VerdictKind | undefined => {
  switch (failure._tag) {
    case "NoSlip":
      return failure.reason === "no-qr" ? "unreadable" : "notASlip"
    case "SlipUnknown":
      return failure.reason === "too-old" ? "tooOld" : "notFound"
    case "SeveralSlips":
      return "severalSlips"
    case "WrongSlipKind":
      return "walletPicture"
    case "WalletsNotSupported":
      return "walletsOff"
    case "ImageUnusable":
      return failure.reason === "too-large" || failure.reason === "too-many-pixels" ? "tooLarge" : "notAPicture"
    case "QuotaExceeded":
      return "quota"
    case "UnchargedLimitExceeded":
      return "tooMany"
    case "ApiError":
    case "RefusedBefore":
      return kindOfCode(failure.code)
    case "ReaderUnavailable":
    case "UpstreamUnavailable":
    case "SlipPending":
    case "EventStoreError":
    case "WrongExpectedRevision":
    case "QuotaError":
    case "ReadModelsError":
    case "RequestInProgress":
      return "away"
    default:
      return undefined
  }
}

const kindOfCode = (code: string): VerdictKind | undefined => {
  switch (code) {
    case "SLIP_NOT_FOUND":
      return "notFound"
    case "SEVERAL_SLIPS":
      return "severalSlips"
    case "WRONG_SLIP_KIND":
      return "walletPicture"
    case "IMAGE_SIZE_TOO_LARGE":
      return "tooLarge"
    case "INVALID_IMAGE_FORMAT":
      return "notAPicture"
    default:
      return undefined
  }
}

/** The verdict when no slip was verified; undefined for failures that are not about the slip. */
export const verdictOfFailure = (failure: Failure): Verdict | undefined => {
  const kind = kindOfFailure(failure)
  if (kind === undefined) return undefined
  const error = toApiError(failure)
  return { kind, status: statusOf(error), others: [], retryAfterSeconds: error.retryAfterSeconds }
}

/**
 * The verdict on a TrueMoney picture that no gateway can confirm yet. Pictures are not stored, so no job can ask again:
 * the clerk sends the picture again. `amount` is that of the form.
 */
export const verdictOfPendingWallet = (failure: Failure, amount: string | undefined): Verdict => {
  const error = toApiError(failure)
  return {
    kind: "walletPending",
    status: statusOf(error),
    others: [],
    retryAfterSeconds: error.retryAfterSeconds,
    sendAgain: { amount }
  }
}

/** The verdict of a job that ended without a slip. `code` is that of the API. */
export const verdictOfCode = (code: string): Verdict => ({
  kind: kindOfCode(code) ?? "gaveUp",
  status: 200,
  others: []
})
