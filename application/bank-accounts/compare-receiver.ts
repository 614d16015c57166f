import { Effect } from "effect"
import { type AccountQuestion, matchAccounts } from "../../domain/slip/matching.ts"
import type { Matching } from "../../domain/slip/matching/receiving-account.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { BankAccounts } from "./list-bank-accounts.ts"

/** The result for an erased slip: its receiver is unknown. */
const erased: Matching = {
  verdict: "indeterminate",
  isAmbiguous: false,
  reasons: ["The personal data of this slip was deleted on request: its receiver is no longer known."],
  account: null
}

/** Compares the receiver of a slip with a branch's active bank accounts. `transfer` is undefined after an erasure. */
export const compareReceiver = Effect.fnUntraced(function* (
  branchId: string,
  question: AccountQuestion,
  transfer: Transfer | undefined
) {
  if (transfer === undefined) return erased
  const accounts = yield* (yield* BankAccounts).activeOf(branchId)
  const { accountId, isAmbiguous, reasons, verdict } = matchAccounts(transfer, accounts, question)
  const account = accounts.find(({ id }) => id === accountId)
  return {
    verdict,
    isAmbiguous,
    reasons,
    account: account === undefined ? null : matchedAccount(account)
  } satisfies Matching
})

const matchedAccount = ({ bankCode, bankNumber, id, nameEn, nameTh, type }: NonNullable<Matching["account"]>) => ({
  id,
  bankCode,
  bankNumber,
  nameTh,
  nameEn,
  type
})
