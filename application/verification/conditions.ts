import { Effect } from "effect"
import { compareReceiver } from "../bank-accounts/compare-receiver.ts"
import type { Satang } from "../../domain/money.ts"
import type { Conditions, Policy } from "../../domain/slip/conditions.ts"
import { type AccountQuestion, matchAccounts } from "../../domain/slip/matching.ts"
import type { ListedReceiver } from "../../domain/slip/matching/receiving-account.ts"
import type { ConditionsToCheck } from "../../domain/slip/slip.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"

/** The conditions of a request, with the accounts that they list. */
export interface RequestedConditions {
  readonly conditions: Conditions
  /** The accounts of `receivers: "listed"`; empty otherwise. */
  readonly receivers: ReadonlyArray<ListedReceiver>
}

/** The conditions that judge a verification. */
export interface JudgingConditions extends RequestedConditions, Pick<ConditionsToCheck, "policyVersion"> {
  /** When the request arrived; ISO 8601, UTC. Absent when the request is verified at once. */
  readonly receivedAt?: string
}

/** The parts of a request that conditions depend on. */
interface ConditionalRequest {
  readonly conditions?: RequestedConditions | undefined
  readonly expectedAmount?: Satang | undefined
  readonly accounts?: AccountQuestion | undefined
}

const ALL_ACCOUNTS: AccountQuestion = { bankCode: undefined, extraVerify: undefined }

/**
 * The conditions that judge a request, field by field: those of the request, then what its `matchAmount` and
 * `matchAccount` demand, then those of the branch's policy. Undefined when neither request nor branch has conditions
 * (docs/spec/http.md, "Conditions"). `accounts` says which accounts to compare: conditions on registered receivers
 * compare them all.
 */
export const judgingConditions = (
  policy: Policy | null,
  { accounts, conditions: requested, expectedAmount }: ConditionalRequest
): { readonly judging: JudgingConditions | undefined; readonly accounts: AccountQuestion | undefined } => {
  if (policy === null && requested === undefined) return { judging: undefined, accounts }
  const conditions: Conditions = {
    ...policy?.conditions,
    ...(expectedAmount === undefined ? {} : { amount: { equals: expectedAmount } }),
    ...(accounts === undefined ? {} : { receivers: "registered" }),
    ...requested?.conditions
  }
  return {
    judging: { conditions, receivers: requested?.receivers ?? [], policyVersion: policy?.version ?? null },
    accounts: accounts ?? (conditions.receivers === "registered" ? ALL_ACCOUNTS : undefined)
  }
}

const compareListed = (receivers: ReadonlyArray<ListedReceiver>, transfer: Transfer | undefined) => {
  if (transfer === undefined) return null
  const accounts = receivers.map((receiver, index) => ({ ...receiver, id: String(index) }))
  return matchAccounts(transfer, accounts, ALL_ACCOUNTS).verdict
}

/** A request whose receiver is compared. */
interface ComparedRequest {
  readonly branchId: string
  readonly accounts?: AccountQuestion | undefined
  readonly judging?: JudgingConditions | undefined
}

/**
 * Compares the receiver with the branch's accounts and with those that conditions list. `transfer` is undefined after
 * an erasure, which leaves the receiver indeterminate. `at` is ISO 8601.
 */
export const compareForRequest = (
  { accounts, branchId, judging }: ComparedRequest,
  transfer: Transfer | undefined,
  at: string
) => {
  const compared = accounts === undefined ? Effect.succeed(null) : compareReceiver(branchId, accounts, transfer)
  return Effect.map(compared, (matching) => {
    if (judging === undefined) return { matching, toCheck: undefined }
    const { conditions, policyVersion, receivedAt = at, receivers } = judging
    const receiver = conditions.receivers === "listed" ? compareListed(receivers, transfer) : matching?.verdict ?? null
    const toCheck: ConditionsToCheck = { conditions, policyVersion, receiver, receivedAt }
    return { matching, toCheck }
  })
}
