import { type Finding, judgeAccount } from "./matching/compare-account.ts"
import type { AccountQuestion, AccountVerdict, ReceivingAccount } from "./matching/receiving-account.ts"
import { tellIndeterminate, tellMatch, tellNoMatch, tellNone } from "./matching/explain.ts"
import type { Receiver } from "./transfer.ts"

export type { AccountQuestion, AccountVerdict, ReceivingAccount } from "./matching/receiving-account.ts"

/** What came of comparing the receiver of a slip with a branch's accounts. */
export interface AccountMatch {
  readonly verdict: AccountVerdict
  /** Id of the account that matched; null otherwise. */
  readonly accountId: string | null
  /** Several accounts matched equally well; the one that was linked first was taken. */
  readonly isAmbiguous: boolean
  /** What was compared and what came of it, in words a merchant can act on. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Whether an account is compared at all. PromptPay's ids are of several kinds, and an account that is known by one of
 * them can't be compared as another.
 */
const isAsked = (account: ReceivingAccount, { bankCode, extraVerify }: AccountQuestion): boolean => {
  if (bankCode !== undefined && account.bankCode !== bankCode) return false
  if (account.bankCode !== "PROMPTPAY" || account.extraVerify === null) return true
  return extraVerify === undefined || account.extraVerify === extraVerify
}

const withoutMatch = (findings: ReadonlyArray<Finding>): AccountMatch =>
  findings.some(({ verdict }) => verdict === "indeterminate")
    ? { verdict: "indeterminate", accountId: null, isAmbiguous: false, reasons: tellIndeterminate(findings) }
    : { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: tellNoMatch(findings) }

/**
 * Compares the receiver of a slip with a branch's active accounts, which come in the order in which they were linked
 * (docs/spec/http.md, "Matching an account"). Of several that match, the one is taken whose number agrees in most
 * visible digits, then the one that was linked first.
 */
export const matchAccounts = (
  receiver: Receiver,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: AccountQuestion
): AccountMatch => {
  const asked = accounts.filter((account) => isAsked(account, question))
  if (asked.length === 0) {
    return { verdict: "no_match", accountId: null, isAmbiguous: false, reasons: tellNone(question) }
  }
  const findings = asked.map((account) => judgeAccount(receiver, account, question.extraVerify ?? account.extraVerify))
  const matching = findings.filter(({ verdict }) => verdict === "match")
  const most = Math.max(...matching.map(({ digits }) => digits))
  const best = matching.filter(({ digits }) => digits === most)
  const [taken] = best
  if (taken === undefined) return withoutMatch(findings)
  const { account: { id: accountId } } = taken
  return { verdict: "match", accountId, isAmbiguous: best.length > 1, reasons: tellMatch(taken, best.length) }
}
