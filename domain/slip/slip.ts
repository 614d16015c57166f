import { HashSet, Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "../decider.ts"
import { Satang } from "../money.ts"
import { Sealed } from "../sealed.ts"
import { Acceptance, checkConditions, type Conditions } from "./conditions.ts"
import { replyFields } from "./gateway-reply.ts"
import type { AccountVerdict } from "./matching/receiving-account.ts"

/**
 * A slip within one service. Its stream, `slip-{service}-{digest of bank and transRef}`, decides which verification is
 * the first: however many requests race, exactly one appends the first event (docs/spec/http.md, "Duplicates").
 */

/**
 * The verdict of one verification of the slip. Of what there is not, the fields of the first version are null, and those
 * that were added later are absent, as in the events that are older than they are.
 */
const verdict = {
  verificationId: Schema.String,
  branchId: Schema.String,
  /** ISO 8601, UTC. */
  at: Schema.String,
  /** The quota month that is charged, `yyyy-MM` in Asia/Bangkok. */
  month: Schema.String,
  /** Whether it cost the branch one unit of its quota (docs/spec/http.md, "Charging"). */
  charged: Schema.Boolean,
  remark: Schema.NullOr(Sealed),
  /** The amount that the caller expected, and whether the slip has it. */
  expectedAmount: Schema.NullOr(Satang),
  isAmountMatched: Schema.NullOr(Schema.Boolean),
  /** The result of comparing the receiver with the branch's accounts, as sealed JSON; null or absent when not requested. */
  matching: Schema.optionalKey(Schema.NullOr(Sealed)),
  /** The result of checking conditions. */
  acceptance: Schema.optional(Acceptance),
  /** The bank account that matched the receiver. */
  accountId: Schema.optional(Schema.String),
  /** Keyed digest of the normalized remark within the branch, for filters. */
  remarkDigest: Schema.optional(Schema.String),
  /** Milliseconds from `at` until the verdict was appended. */
  tookMillis: Schema.optional(Schema.Int),
  /** Keyed digest of the end of the slip's reference, for the search of operators. */
  tailDigest: Schema.optional(Schema.String)
}

/** A bank's answer about the slip, and its gateway, sealed for the log. */
const answer = {
  sendingBank: Schema.String,
  amount: Satang,
  /** ISO 8601 with the offset +07:00. */
  transferredAt: Schema.String,
  /** The bank's answer, as sealed JSON of a `Transfer`. */
  transfer: Sealed,
  gateway: Schema.String,
  gatewayMillis: Schema.Int,
  ...replyFields
}
export type Evidence = Complete<Schema.Struct<typeof answer>["Type"]>

// These names are the storage format: add, never edit.
export const SlipEvent = Schema.TaggedUnion({
  SlipVerified: {
    ...verdict,
    serviceId: Schema.String,
    ...answer
  },
  SlipVerifiedAgain: {
    ...verdict,
    /** The amount of the first event, for filters. Old events lack it. */
    amount: Schema.optional(Satang)
  }
})
export type SlipEvent = typeof SlipEvent.Type
export type SlipVerified = Extract<SlipEvent, { readonly _tag: "SlipVerified" }>

export interface SlipState {
  readonly first: SlipVerified | null
  /** Branches that have verified this slip: a repetition is free for them. */
  readonly holders: HashSet.HashSet<string>
  /** Verifications in the log: repeating one gives no event. */
  readonly verifications: HashSet.HashSet<string>
}

const evolve = (state: SlipState, event: SlipEvent): SlipState => ({
  first: event._tag === "SlipVerified" ? event : state.first,
  holders: HashSet.add(state.holders, event.branchId),
  verifications: HashSet.add(state.verifications, event.verificationId)
})

/** The conditions of a verification, and what the slip's events do not say. */
export interface ConditionsToCheck {
  readonly conditions: Conditions
  /** The version of the branch's policy; null without a policy. */
  readonly policyVersion: number | null
  /** The comparison of the receiver; null when nothing was compared. */
  readonly receiver: AccountVerdict | null
  /** When the request arrived; ISO 8601, UTC. */
  readonly receivedAt: string
}

/** The fields of a verdict that the aggregate decides. */
type Decided = "charged" | "isAmountMatched" | "acceptance"

export interface VerifySlip extends Omit<Complete<Schema.Struct<typeof verdict>["Type"]>, Decided> {
  readonly _tag: "VerifySlip"
  readonly serviceId: string
  readonly toCheck: ConditionsToCheck | undefined
  /** Needed for the first verification only. */
  readonly evidence: Evidence | null
}

/** The first verification needs a bank's answer: ask the bank first. */
export class EvidenceMissing extends Schema.TaggedError<EvidenceMissing>()("EvidenceMissing", {}) {}

/** Whether verifying this slip costs the branch a unit: only its first verification of the slip does. */
export const costs = (state: SlipState, branchId: string): boolean => !HashSet.has(state.holders, branchId)

const make = eventsOf(SlipEvent)

/** Only here is it known whether the slip is a duplicate. */
const accept = (
  { conditions, policyVersion, ...context }: ConditionsToCheck,
  slip: SlipVerified | Evidence,
  isDuplicate: boolean
): Acceptance => ({
  ...checkConditions(conditions, slip, { ...context, isDuplicate }),
  conditions,
  policyVersion
})

const decide = (
  { _tag, evidence, serviceId, toCheck, ...asked }: VerifySlip,
  state: SlipState
): Result.Result<ReadonlyArray<Complete<SlipEvent>>, EvidenceMissing> => {
  if (HashSet.has(state.verifications, asked.verificationId)) return Result.succeed([])
  const known = state.first ?? evidence
  if (known === null) return Result.fail(new EvidenceMissing())
  const verdict = {
    ...asked,
    charged: costs(state, asked.branchId),
    isAmountMatched: asked.expectedAmount === null ? null : asked.expectedAmount === known.amount,
    acceptance: toCheck === undefined ? undefined : accept(toCheck, known, state.first !== null)
  }
  if (state.first !== null) return Result.succeed([make.SlipVerifiedAgain({ ...verdict, amount: known.amount })])
  if (evidence === null) return Result.fail(new EvidenceMissing())
  return Result.succeed([make.SlipVerified({ ...verdict, serviceId, ...evidence })])
}

export const slip: Decider<VerifySlip, SlipState, SlipEvent, EvidenceMissing> = {
  initialState: { first: null, holders: HashSet.empty(), verifications: HashSet.empty() },
  evolve,
  decide,
  isTerminal: () => false
}
