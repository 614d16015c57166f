import { Effect } from "effect"
import { findBank } from "../../domain/bank.ts"
import { type Satang, satang, toBaht } from "../../domain/money.ts"
import type { Acceptance, Reason, ReasonCode } from "../../domain/slip/conditions.ts"
import { encodeSlipPayload } from "../../domain/slip/payload.ts"
import { transactionIdOf, TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import type { SlipEvent, SlipVerified } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { slips } from "../../domain/events/aggregates.ts"
import type { Matching } from "../../domain/slip/matching/receiving-account.ts"
import { EventStore } from "../../ports/event-store.ts"
import { placeOfVerificationCaughtUp } from "../../projections/models/duplicates.ts"
import { SLICE } from "../events/handle-command.ts"
import { failVerificationMissing } from "../events/stream-changed.ts"
import { openMatching, openRemark, openTransfer } from "../sealing/sealed-data.ts"
import type { RawSlip, RawWalletSlip, VerifiedData, VerifyBankData, VerifyWalletData } from "../views/slip.ts"
import type { Slip } from "./wallet-slip.ts"

/** A verified slip. Money is in satang. docs/spec/http.md, "VerifyBankData". */
export interface Verification {
  readonly verificationId: string
  /** The QR text in canonical form; empty for a TrueMoney slip. */
  readonly payload: string
  readonly transfer: Transfer
  /** The personal data was erased: only amount, time and sending bank of the transfer are left. */
  readonly isForgotten: boolean
  /** Null for the first verification of the slip in its service. */
  readonly duplicate: {
    /** ISO 8601, UTC. */
    readonly firstVerifiedAt: string
    /** Whether the first verification was this branch's. */
    readonly sameBranch: boolean
    /** Verifications of the slip in its service, this one included. */
    readonly count: number
  } | null
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  readonly isAmountMatched: boolean | undefined
  /** Null when the caller requested no comparison. */
  readonly matching: Matching | null
  /** Undefined when the verification had no conditions. */
  readonly acceptance: Acceptance | undefined
}

/** Values that the log holds sealed, in plain text. They are available while the verification runs. */
export interface PlainValues {
  readonly slip: Slip
  /** Undefined when it must be opened from the log. */
  readonly transfer: Transfer | undefined
  readonly remark: string | undefined
  readonly matching: Matching | null
}

/** One verification in the stream of its slip. */
export interface RecordedVerification {
  readonly first: SlipVerified
  readonly event: SlipEvent
  /** Verifications of the slip up to this one. */
  readonly count: number
}

const UNKNOWN_PARTY = { bank: { id: "", name: "", short: "" }, account: { name: {} } }

/** The transfer of an erased slip: the fields that the log holds in plain text. */
const erasedTransfer = ({ amount, sendingBank, transferredAt }: SlipVerified, transRef: string): Transfer => ({
  transRef,
  sendingBank,
  transferredAt,
  countryCode: "TH",
  amount,
  fee: satang(0),
  ref1: "",
  ref2: "",
  ref3: "",
  sender: UNKNOWN_PARTY,
  receiver: { ...UNKNOWN_PARTY, merchantId: null }
})

/** The verification of its events and of what they hold sealed; `transfer` is undefined after the slip was erased. */
const verificationOf = (
  { count, event, first }: RecordedVerification,
  { matching, remark, transfer }: Pick<PlainValues, "matching" | "remark" | "transfer">,
  transRef: string
): Verification => {
  const { at, branchId, sendingBank } = first
  return {
    verificationId: event.verificationId,
    payload: transRef === "" || sendingBank === TRUEMONEY ? "" : encodeSlipPayload(sendingBank, transRef),
    transfer: transfer ?? erasedTransfer(first, transRef),
    isForgotten: transfer === undefined,
    duplicate: event._tag === "SlipVerified"
      ? null
      : { firstVerifiedAt: at, sameBranch: branchId === event.branchId, count },
    remark,
    expectedAmount: event.expectedAmount ?? undefined,
    isAmountMatched: event.isAmountMatched ?? undefined,
    matching,
    acceptance: event.acceptance
  }
}

const openAndView = Effect.fnUntraced(function* (recorded: RecordedVerification, plain: PlainValues | undefined) {
  const transfer = yield* openTransfer(recorded.first.transfer)
  const remark = plain === undefined ? yield* openRemark(recorded.event.remark) : plain.remark
  const matching = plain === undefined ? yield* openMatching(recorded.event.matching ?? null) : plain.matching
  return verificationOf(recorded, { transfer, remark, matching }, transfer?.transRef ?? plain?.slip.transRef ?? "")
})

/** Builds a verification from its events. Opens the sealed values that `plain` does not hold. */
export const viewVerification = (recorded: RecordedVerification, plain?: PlainValues) =>
  plain?.transfer === undefined
    ? openAndView(recorded, plain)
    : Effect.succeed(verificationOf(recorded, plain, plain.transfer.transRef))

/**
 * Finds a verification in the stream of its slip; undefined when the stream does not hold it. Reads the stream in slices
 * up to the verification. `findRecorded` costs the same for a stream of any length.
 */
export const recordedVerification = Effect.fnUntraced(function* (stream: string, verificationId: string) {
  const { readStream } = yield* EventStore
  let first: SlipEvent | undefined
  for (let from = 0;; from += SLICE) {
    const events = (yield* readStream(stream, { from, limit: SLICE })).map(slips.codec.decode)
    first ??= events[0]
    const index = events.findIndex((event) => event.verificationId === verificationId)
    const event = events[index]
    if (event !== undefined && first?._tag === "SlipVerified") {
      return { first, event, count: from + index + 1 } satisfies RecordedVerification
    }
    if (events.length < SLICE) return undefined
    yield* Effect.yieldNow
  }
})

/** Finds a successful verification by the place of its event, which the read model knows; undefined without one. */
export const findRecorded = Effect.fnUntraced(function* (verificationId: string) {
  const row = yield* placeOfVerificationCaughtUp(verificationId)
  if (!row?.stream.startsWith("slip-")) return undefined
  const { readStream } = yield* EventStore
  const read = (revision: number) => readStream(row.stream, { from: revision, limit: 1 })
  // Each event of a slip's stream is one verification.
  const [first, event] = [...yield* read(0), ...yield* read(row.revision)].map(slips.codec.decode)
  if (event === undefined || first?._tag !== "SlipVerified") return undefined
  return { first, event, count: row.revision + 1 } satisfies RecordedVerification
})

/** Loads a successful verification as the caller received it; undefined when none has this id. */
export const findVerification = Effect.fnUntraced(function* (verificationId: string) {
  const recorded = yield* findRecorded(verificationId)
  return recorded === undefined ? undefined : yield* viewVerification(recorded)
})

type Party = Transfer["sender"]

const partyJson = ({ account: { bank: number, name, proxy }, bank }: Party) => ({
  bank: { id: bank.id, name: bank.name, short: bank.short },
  account: {
    name: { th: name.th ?? name.en ?? "", ...(name.en === undefined ? {} : { en: name.en }) },
    bank: number ?? { type: "", account: "" },
    ...(proxy === undefined ? {} : { proxy })
  }
})

/** The ISO 4217 numeric code of the baht. */
const BAHT = "764"

/** The JSON of a slip in v1 and v2. Money is in baht; every field is present. */
export const rawSlip = (payload: string, transfer: Transfer): RawSlip => {
  const amount = toBaht(transfer.amount)
  const { local } = transfer
  return {
    payload,
    transRef: transfer.transRef,
    date: transfer.transferredAt,
    countryCode: transfer.countryCode,
    amount: {
      amount,
      local: local === undefined ? { amount, currency: BAHT } : { amount: local.amount / 100, currency: local.currency }
    },
    fee: toBaht(transfer.fee),
    ref1: transfer.ref1,
    ref2: transfer.ref2,
    ref3: transfer.ref3,
    sender: partyJson(transfer.sender),
    receiver: { ...partyJson(transfer.receiver), merchantId: transfer.receiver.merchantId }
  }
}

const walletName = ({ account: { name: { en, th } } }: Party): string => th ?? en ?? ""

/** The JSON of a TrueMoney slip in v1 and v2. Money is in baht; every field is present. */
export const rawWalletSlip = ({ amount, receiver, sender, transferredAt, transRef }: Transfer): RawWalletSlip => ({
  transactionId: transactionIdOf(transRef),
  date: transferredAt,
  amount: toBaht(amount),
  sender: { name: walletName(sender) },
  receiver: { name: walletName(receiver), phone: receiver.account.proxy?.account ?? "" }
})

const matchedAccountJson = ({ bankCode, ...account }: NonNullable<Matching["account"]>) => {
  const bank = findBank(bankCode)
  return {
    id: account.id,
    bank: {
      code: bankCode,
      nameTh: bank?.nameTh ?? "",
      nameEn: bank?.nameEn ?? "",
      shortCode: bank?.shortCode ?? ""
    },
    nameTh: account.nameTh,
    nameEn: account.nameEn,
    type: account.type,
    bankNumber: account.bankNumber
  }
}

const matchJson = ({ isAmbiguous, reasons, verdict }: Matching) => ({ account: verdict, isAmbiguous, reasons })

/** What a reason means, for a person. */
const reasonMessages: Readonly<Record<ReasonCode, string>> = {
  amount_differs: "The slip has another amount. Ask the payer for the difference, or for another slip",
  amount_too_low: "The slip has too low an amount. Ask the payer for the difference, or for another slip",
  amount_too_high: "The slip has too high an amount. Check which order it pays, or return the difference",
  transferred_too_early: "The transfer was made too early. It may have paid for another order: ask for a newer slip",
  transferred_too_late: "The transfer was made too late. Ask the payer for an earlier slip, or accept it yourself",
  receiver_differs: "The money went to another account. Ask the payer for the slip of a transfer to you",
  receiver_indeterminate:
    "The slip does not show enough of the receiver. Look for the money in your account before you deliver",
  sending_bank_not_allowed: "The money was sent from another bank. Ask the payer for a transfer from an allowed bank",
  duplicate: "The slip was used before. Ask the payer for another slip"
}

/** The JSON of a reason. Money is in baht. */
const reasonJson = (reason: Reason) => {
  const { code } = reason
  const message = reasonMessages[code]
  switch (code) {
    case "amount_differs":
    case "amount_too_low":
    case "amount_too_high":
      return { code, message, expected: toBaht(reason.expected), actual: toBaht(reason.actual) }
    case "transferred_too_early":
    case "transferred_too_late":
      return { code, message, expected: reason.expected, actual: reason.actual }
    case "sending_bank_not_allowed":
      return { code, message, expected: reason.expected, actual: reason.actual }
    case "receiver_differs":
    case "receiver_indeterminate":
    case "duplicate":
      return { code, message }
  }
}

export const acceptanceJson = ({ accepted, policyVersion, reasons }: Acceptance) => ({
  accepted,
  reasons: reasons.map(reasonJson),
  ...(policyVersion === null ? {} : { policyVersion })
})

/** The JSON of a verification with the JSON of its slip. */
const dataWith = <Slip>(rawSlip: Slip, verification: Verification) => {
  const { acceptance, duplicate, expectedAmount, isAmountMatched, matching, transfer, verificationId } = verification
  const { isForgotten, remark } = verification
  const account = matching?.account ?? null
  return {
    ...(remark === undefined ? {} : { remark }),
    isDuplicate: duplicate !== null,
    amountInSlip: toBaht(transfer.amount),
    ...(expectedAmount === undefined ? {} : { amountInOrder: toBaht(expectedAmount) }),
    ...(isAmountMatched === undefined ? {} : { isAmountMatched }),
    matchedAccount: account === null ? null : matchedAccountJson(account),
    rawSlip,
    verificationId,
    ...(duplicate === null ? {} : { duplicate }),
    ...(matching === null ? {} : { match: matchJson(matching) }),
    ...(acceptance === undefined ? {} : acceptanceJson(acceptance)),
    ...(isForgotten ? { isForgotten } : {})
  }
}

/** The JSON of a bank slip's verification (VerifyBankData). */
export const verifyBankData = (verification: Verification): VerifyBankData =>
  dataWith(rawSlip(verification.payload, verification.transfer), verification)

/** The JSON of a TrueMoney slip's verification (VerifyWalletData). */
export const verifyWalletData = (verification: Verification): VerifyWalletData =>
  dataWith(rawWalletSlip(verification.transfer), verification)

/** The JSON of a verification whose slip can be of either kind. */
export const verifyData = (verification: Verification): VerifiedData =>
  verification.transfer.sendingBank === TRUEMONEY ? verifyWalletData(verification) : verifyBankData(verification)

/** A verification that must be in the log of its slip, and whether it was charged. */
export const viewRecorded = Effect.fnUntraced(function* (stream: string, verificationId: string) {
  const recorded = yield* recordedVerification(stream, verificationId)
  if (recorded === undefined) return yield* failVerificationMissing(stream, verificationId)
  return { verification: yield* viewVerification(recorded), charged: recorded.event.charged }
})
