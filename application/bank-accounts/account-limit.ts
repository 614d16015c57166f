import { MAX_ACTIVE_ACCOUNTS } from "../../domain/bank-account/fields.ts"
import { Data, Effect } from "effect"
import { whenReady } from "../../projections/engine/readiness.ts"
import { bankAccountSets, bankAccountsModel } from "../../projections/models/bank-accounts.ts"

/** The branch has as many active accounts as it may have. */
export class BankAccountsFull extends Data.TaggedError("BankAccountsFull")<{}> {}

/**
 * Fails with `BankAccountsFull` when a branch may not have one more active account. Repeating what is done passes: the
 * account is then one of the branch.
 *
 * The limit is soft, because the read model counts: no stream has all accounts of a branch. Requests at the same time,
 * and those while the model lags, can each add an account more.
 */
export const requireRoom = Effect.fnUntraced(function* (branchId: string, accountId: string) {
  yield* whenReady(bankAccountsModel)
  if ((yield* bankAccountSets.activeOf(branchId).count()) < MAX_ACTIVE_ACCOUNTS) return
  if (yield* bankAccountSets.ofBranch(branchId).has(accountId)) return
  return yield* new BankAccountsFull()
})
