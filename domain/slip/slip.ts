import { HashSet, Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "../decider.ts"
import { Satang } from "../money.ts"
import { Sealed } from "../sealed.ts"
import { replyFields, type ReplyRecord } from "./gateway-reply.ts"

/**
 * A slip within one service. Its stream, `slip-{service}-{digest of bank and transRef}`, decides who verified it first:
 * of any number of concurrent first verifications exactly one wins the revision (docs/spec/http.md, "Duplicates").
 */

/** The verdict of one verification of the slip. */
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
  /** The amount that the caller expected, if it named one, and whether the slip's was the same. */
  expectedAmount: Schema.NullOr(Satang),
  isAmountMatched: Schema.NullOr(Schema.Boolean),
  /** What came of comparing the receiver with the branch's accounts, as sealed JSON; null when that was not asked. */
  matching: Schema.optionalKey(Schema.NullOr(Sealed))
}

// These names are the storage format: add, never edit.
export const SlipEvent = Schema.TaggedUnion({
  SlipVerified: {
    ...verdict,
    serviceId: Schema.String,
    sendingBank: Schema.String,
    amount: Satang,
    /** ISO 8601 with the offset +07:00. */
    transferredAt: Schema.String,
    /** What the bank said, as sealed JSON of a `Transfer`. */
    transfer: Sealed,
    gateway: Schema.String,
    gatewayMillis: Schema.Int,
    ...replyFields
  },
  SlipVerifiedAgain: verdict
})
export type SlipEvent = typeof SlipEvent.Type
export type SlipVerified = Extract<SlipEvent, { readonly _tag: "SlipVerified" }>

export interface SlipState {
  readonly first: SlipVerified | null
  /** Branches that have had this slip: for them it is free. */
  readonly holders: HashSet.HashSet<string>
  /** Verifications that are in the log: repeating one gives nothing new. */
  readonly verifications: HashSet.HashSet<string>
}

const evolve = (state: SlipState, event: SlipEvent): SlipState => ({
  first: event._tag === "SlipVerified" ? event : state.first,
  holders: HashSet.add(state.holders, event.branchId),
  verifications: HashSet.add(state.verifications, event.verificationId)
})

/** What a bank said of the slip and through whom, ready for the log. */
export interface Evidence extends ReplyRecord {
  readonly sendingBank: string
  readonly amount: Satang
  readonly transferredAt: string
  readonly transfer: Sealed
  readonly gateway: string
  readonly gatewayMillis: number
}

export interface VerifySlip {
  readonly _tag: "VerifySlip"
  readonly verificationId: string
  readonly serviceId: string
  readonly branchId: string
  readonly at: string
  readonly month: string
  readonly remark: Sealed | null
  readonly expectedAmount: Satang | null
  readonly matching: Sealed | null
  /** Needed for the first verification only. */
  readonly evidence: Evidence | null
}

/** The first verification needs a bank's answer: ask the bank first. */
export class EvidenceMissing extends Schema.TaggedError<EvidenceMissing>()("EvidenceMissing", {}) {}

/** Whether verifying this slip costs this branch: only what it has not had before does. */
export const costs = (state: SlipState, branchId: string): boolean => !HashSet.has(state.holders, branchId)

const make = eventsOf(SlipEvent)

const decide = (
  command: VerifySlip,
  state: SlipState
): Result.Result<ReadonlyArray<Complete<SlipEvent>>, EvidenceMissing> => {
  const { at, branchId, evidence, expectedAmount, matching, month, remark, serviceId, verificationId } = command
  if (HashSet.has(state.verifications, verificationId)) return Result.succeed([])
  const amount = state.first?.amount ?? evidence?.amount
  if (amount === undefined) return Result.fail(new EvidenceMissing())
  const charged = costs(state, branchId)
  const isAmountMatched = expectedAmount === null ? null : expectedAmount === amount
  const verdict = {
    verificationId,
    branchId,
    at,
    month,
    charged,
    remark,
    expectedAmount,
    isAmountMatched,
    matching
  }
  if (state.first !== null) return Result.succeed([make.SlipVerifiedAgain(verdict)])
  if (evidence === null) return Result.fail(new EvidenceMissing())
  const { askedBefore, gateway, gatewayMillis, sendingBank, transfer, transferredAt, upstream } = evidence
  const answer = { sendingBank, amount, transferredAt, transfer, gateway, gatewayMillis, upstream, askedBefore }
  return Result.succeed([make.SlipVerified({ ...verdict, serviceId, ...answer })])
}

export const slip: Decider<VerifySlip, SlipState, SlipEvent, EvidenceMissing> = {
  initialState: { first: null, holders: HashSet.empty(), verifications: HashSet.empty() },
  evolve,
  decide,
  isTerminal: () => false
}
