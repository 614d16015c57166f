import type { Verification } from "../../../application/verification/verification-view.ts"
import type { ReasonCode } from "../../../domain/slip/conditions.ts"
import { statusOf } from "../api/failures.ts"
import { type Failure, toApiError } from "../http/operations/application-failures.ts"
import type { Messages } from "./messages.ts"

/** What a clerk learns about a slip. Each kind has its texts. */
type VerdictKind = keyof Messages["verdicts"]

/** `warn`: the slip is neither proved nor refuted. */
export type Tone = "good" | "bad" | "warn"

/** The first of these that applies is the headline: it decides most about the goods. */
const order = ["wrongAccount", "duplicate", "wrongAmount", "tooEarly", "tooLate", "wrongBank", "unclear"] as const

const bad: ReadonlySet<VerdictKind> = new Set([...order.filter((kind) => kind !== "unclear"), "notFound", "notASlip"])

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

/** The verdict on a verified slip. An old verification without a verdict is judged by whether it is a duplicate. */
export const verdictOf = (verification: Verification): Verdict => {
  const { acceptance, duplicate } = verification
  const codes = acceptance?.reasons.map(({ code }) => code) ?? (duplicate === null ? [] : ["duplicate" as const])
  const found = new Set(codes.map((code) => kinds[code]))
  const [kind = "accepted", ...others]: ReadonlyArray<VerdictKind> = order.filter((candidate) => found.has(candidate))
  return { kind, status: 200, verification, others }
}

const byTag: { readonly [Tag in Failure["_tag"]]?: VerdictKind } = {
  SeveralSlips: "severalSlips",
  WrongSlipKind: "walletPicture",
  WalletsNotSupported: "walletsOff",
  QuotaExceeded: "quota",
  UnchargedLimitExceeded: "tooMany",
  ReaderUnavailable: "away",
  UpstreamUnavailable: "away",
  SlipPending: "away",
  EventStoreError: "away",
  WrongExpectedRevision: "away",
  QuotaError: "away",
  ReadModelsError: "away",
  RequestInProgress: "away"
}

/** What failures of the API say about a slip, by their codes. */
const byCode: Readonly<Record<string, VerdictKind | undefined>> = {
  SLIP_NOT_FOUND: "notFound",
  SEVERAL_SLIPS: "severalSlips",
  WRONG_SLIP_KIND: "walletPicture",
  IMAGE_SIZE_TOO_LARGE: "tooLarge",
  INVALID_IMAGE_FORMAT: "notAPicture"
}

const kindOfCode = (code: string): VerdictKind | undefined => Object.hasOwn(byCode, code) ? byCode[code] : undefined

const kindOfFailure = (failure: Failure): VerdictKind | undefined => {
  switch (failure._tag) {
    case "NoSlip":
      return failure.reason === "no-qr" ? "unreadable" : "notASlip"
    case "SlipUnknown":
      return failure.reason === "too-old" ? "tooOld" : "notFound"
    case "ImageUnusable":
      return failure.reason === "too-large" || failure.reason === "too-many-pixels" ? "tooLarge" : "notAPicture"
    case "ApiError":
    case "RefusedBefore":
      return kindOfCode(failure.code)
    default:
      return byTag[failure._tag]
  }
}

/** A verdict without a verified slip. */
const verdictWithout = (kind: VerdictKind, failure: Failure): Verdict => {
  const error = toApiError(failure)
  return { kind, status: statusOf(error), others: [], retryAfterSeconds: error.retryAfterSeconds }
}

/** The verdict when no slip was verified; undefined for failures that are not about the slip. */
export const verdictOfFailure = (failure: Failure): Verdict | undefined => {
  const kind = kindOfFailure(failure)
  return kind === undefined ? undefined : verdictWithout(kind, failure)
}

/**
 * The verdict on a TrueMoney picture that no gateway can confirm yet. Pictures are not stored, so no job can ask again:
 * the clerk sends the picture again. `amount` is that of the form.
 */
export const verdictOfPendingWallet = (failure: Failure, amount: string | undefined): Verdict => ({
  ...verdictWithout("walletPending", failure),
  sendAgain: { amount }
})

/** The verdict of a job that ended without a slip. `code` is that of the API. */
export const verdictOfCode = (code: string): Verdict => ({
  kind: kindOfCode(code) ?? "gaveUp",
  status: 200,
  others: []
})
