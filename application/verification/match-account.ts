import { Effect } from "effect"
import { type AccountQuestion, matchAccounts } from "../../domain/slip/matching.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import type { Matching } from "../../domain/slip/matching/recorded-matching.ts"
import { BankAccounts } from "../bank-accounts/list-bank-accounts.ts"

/** Of a slip that was forgotten nothing is left that could be compared. */
export const nothingToCompare: Matching = {
  verdict: "indeterminate",
  isAmbiguous: false,
  reasons: ["The personal data of this slip was deleted on request: its receiver is no longer known."],
  account: null
}

/** Compares the receiver of a slip with the accounts that a branch is linked to now. */
export const matchAccount = Effect.fnUntraced(function* (
  branchId: string,
  question: AccountQuestion,
  { receiver }: Transfer
) {
  const accounts = yield* (yield* BankAccounts).activeOf(branchId)
  const { accountId, isAmbiguous, reasons, verdict } = matchAccounts(receiver, accounts, question)
  const account = accounts.find(({ id }) => id === accountId)
  const matching: Matching = { verdict, isAmbiguous, reasons, account: account === undefined ? null : shown(account) }
  return matching
})

const shown = ({ bankCode, bankNumber, id, nameEn, nameTh, type }: NonNullable<Matching["account"]>) => ({
  id,
  bankCode,
  bankNumber,
  nameTh,
  nameEn,
  type
})
