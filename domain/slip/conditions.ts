import { Schema } from "effect"
import { Satang } from "../money.ts"
import { slipTime } from "../time.ts"
import type { AccountVerdict } from "./matching/receiving-account.ts"

/**
 * The conditions under which a transfer is accepted (docs/spec/http.md, "Conditions"). They stand in events: add
 * optional fields, never edit. Money is in satang, times are ISO 8601 in UTC.
 */
export const Conditions = Schema.Struct({
  amount: Schema.optionalKey(Schema.Struct({
    equals: Schema.optionalKey(Satang),
    atLeast: Schema.optionalKey(Satang),
    atMost: Schema.optionalKey(Satang)
  })),
  /** The bounds are included. `withinMinutes` counts back from the moment at which the request arrived. */
  transferredAt: Schema.optionalKey(Schema.Struct({
    after: Schema.optionalKey(Schema.String),
    before: Schema.optionalKey(Schema.String),
    withinMinutes: Schema.optionalKey(Schema.Int)
  })),
  /** `registered`: the branch's bank accounts. `listed`: accounts of the request, which only sealed fields hold. */
  receivers: Schema.optionalKey(Schema.Literals(["registered", "listed"])),
  /** Codes of the bank list, or of a wallet. */
  sendingBanks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether a slip that the service verified before is accepted. Absent means `reject`. */
  duplicate: Schema.optionalKey(Schema.Literals(["reject", "allow"]))
})
export type Conditions = typeof Conditions.Type

/** The stored conditions of a branch. `version` counts the changes from 1 and is never used twice. */
export const Policy = Schema.Struct({ version: Schema.Int, conditions: Conditions })
export type Policy = typeof Policy.Type

/** Why a transfer is not accepted. The first member has all fields, because the event codec takes its shape. */
export const Reason = Schema.Union([
  Schema.Struct({
    code: Schema.Literals(["amount_differs", "amount_too_low", "amount_too_high"]),
    expected: Satang,
    actual: Satang
  }),
  /** Times are ISO 8601 with the offset +07:00. */
  Schema.Struct({
    code: Schema.Literals(["transferred_too_early", "transferred_too_late"]),
    expected: Schema.String,
    actual: Schema.String
  }),
  Schema.Struct({
    code: Schema.Literal("sending_bank_not_allowed"),
    expected: Schema.Array(Schema.String),
    actual: Schema.String
  }),
  /** Without values, because a receiver is personal data. */
  Schema.Struct({ code: Schema.Literals(["receiver_differs", "receiver_indeterminate", "duplicate"]) })
])
export type Reason = typeof Reason.Type
export type ReasonCode = Reason["code"]

/** The result of checking conditions, as the slip's event holds it. */
export const Acceptance = Schema.Struct({
  accepted: Schema.Boolean,
  /** Every condition that is not met; empty when accepted. */
  reasons: Schema.Array(Reason),
  /** The conditions that were checked: those of the request over those of the policy. */
  conditions: Conditions,
  /** The version of the branch's policy at that time; null without a policy. */
  policyVersion: Schema.NullOr(Schema.Int)
})
export type Acceptance = typeof Acceptance.Type

/** The facts that conditions are about. They do not depend on the kind of slip. */
export interface CheckedTransfer {
  readonly amount: Satang
  /** ISO 8601 with an offset. */
  readonly transferredAt: string
  /** A code of the bank list, or of the wallet that the money came from. */
  readonly sendingBank: string
}

/** The circumstances of the check. */
export interface CheckContext {
  /** The comparison of the receiver with the accepted accounts; null when nothing was compared. */
  readonly receiver: AccountVerdict | null
  /** Whether the service verified the slip before. */
  readonly isDuplicate: boolean
  /** When the request arrived; ISO 8601. */
  readonly receivedAt: string
}

/** How far a bank's clock may be ahead: a transfer up to then counts as made now. */
const CLOCK_SKEW_SECONDS = 300

/** Whole seconds since 1970: slips give no fraction of a second. NaN for a text that is not a time. */
const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000)

const checkAmount = ({ amount: condition = {} }: Conditions, { amount: actual }: CheckedTransfer) => {
  const { atLeast, atMost, equals } = condition
  const reasons: Array<Reason> = []
  if (equals !== undefined && actual !== equals) reasons.push({ code: "amount_differs", expected: equals, actual })
  if (atLeast !== undefined && actual < atLeast) reasons.push({ code: "amount_too_low", expected: atLeast, actual })
  if (atMost !== undefined && actual > atMost) reasons.push({ code: "amount_too_high", expected: atMost, actual })
  return reasons
}

/** A comparison with a time that cannot be read is false, so the transfer is not accepted. */
const checkTime = ({ transferredAt: condition }: Conditions, transfer: CheckedTransfer, receivedAt: string) => {
  if (condition === undefined) return []
  const { after, before, withinMinutes } = condition
  const { transferredAt: actual } = transfer
  const at = seconds(actual)
  const received = seconds(receivedAt)
  const earliest = [
    ...(after === undefined ? [] : [seconds(after)]),
    ...(withinMinutes === undefined ? [] : [received - withinMinutes * 60])
  ]
  const latest = [
    ...(before === undefined ? [] : [seconds(before)]),
    ...(withinMinutes === undefined ? [] : [received + CLOCK_SKEW_SECONDS])
  ]
  const bound = (second: number) => slipTime(second * 1_000)
  const reasons: Array<Reason> = []
  const from = Math.max(...earliest)
  if (earliest.length > 0 && !(at >= from)) {
    reasons.push({ code: "transferred_too_early", expected: bound(from), actual })
  }
  const to = Math.min(...latest)
  if (latest.length > 0 && !(at <= to)) reasons.push({ code: "transferred_too_late", expected: bound(to), actual })
  return reasons
}

const checkBank = ({ sendingBanks }: Conditions, { sendingBank: actual }: CheckedTransfer): ReadonlyArray<Reason> =>
  sendingBanks === undefined || sendingBanks.includes(actual)
    ? []
    : [{ code: "sending_bank_not_allowed", expected: sendingBanks, actual }]

/** A receiver that was not compared, or that the slip does not prove, is never accepted. */
const checkReceiver = ({ receivers }: Conditions, receiver: AccountVerdict | null): ReadonlyArray<Reason> => {
  if (receivers === undefined || receiver === "match") return []
  return [{ code: receiver === "no_match" ? "receiver_differs" : "receiver_indeterminate" }]
}

/** Checks a verified transfer. Every condition that is not met gives a reason, in the order of `Conditions`. */
export const checkConditions = (
  conditions: Conditions,
  transfer: CheckedTransfer,
  { isDuplicate, receivedAt, receiver }: CheckContext
): Pick<Acceptance, "accepted" | "reasons"> => {
  const reasons: ReadonlyArray<Reason> = [
    ...checkAmount(conditions, transfer),
    ...checkTime(conditions, transfer, receivedAt),
    ...checkReceiver(conditions, receiver),
    ...checkBank(conditions, transfer),
    ...(isDuplicate && conditions.duplicate !== "allow" ? [{ code: "duplicate" } as const] : [])
  ]
  return { accepted: reasons.length === 0, reasons }
}

/** A contradiction in conditions. */
export interface Contradiction {
  readonly path: string
  readonly message: string
}

/** What no transfer can meet, or what says nothing, with the correction. */
export const contradictionsIn = (conditions: Conditions): ReadonlyArray<Contradiction> => {
  const { amount, transferredAt } = conditions
  const faults: Array<Contradiction> = []
  const fault = (path: string, message: string) => faults.push({ path, message })
  if (Object.keys(conditions).length === 0) {
    fault("", "Give at least one of amount, transferredAt, receivers, sendingBanks, duplicate")
  }
  if (amount !== undefined) {
    const { atLeast, atMost, equals } = amount
    if (Object.keys(amount).length === 0) fault("amount", "Give equals, or at least one of atLeast and atMost")
    if (equals !== undefined && (atLeast !== undefined || atMost !== undefined)) {
      fault("amount.equals", "Give equals alone, or atLeast and atMost without it")
    }
    if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
      fault("amount.atLeast", "No amount is at least this and at most atMost: give an atLeast up to atMost")
    }
  }
  if (transferredAt !== undefined) {
    const { after, before } = transferredAt
    if (Object.keys(transferredAt).length === 0) {
      fault("transferredAt", "Give at least one of after, before, withinMinutes")
    }
    if (after !== undefined && before !== undefined && seconds(after) > seconds(before)) {
      fault("transferredAt.after", "No time is after this and before the other: give an after up to before")
    }
  }
  return faults
}

/** Whether two sets of conditions are the same. */
export const isSameConditions = Schema.toEquivalence(Conditions)
