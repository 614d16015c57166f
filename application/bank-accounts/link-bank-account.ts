import { Data, Effect } from "effect"
import { BankAccountNotFound, heldBy } from "../../domain/bank-account/bank-account.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { findPlace, viewOfAccount } from "./locate-account.ts"
import type { BankAccountOfService } from "./list-bank-accounts.ts"
import { Directory } from "../provisioning/directory.ts"
import { commandAccount, untilSettled } from "./command-account.ts"
import { type Operation, visibleIn } from "../provisioning/operator-command.ts"

/** Only branches of one service share accounts. */
export class BranchOfAnotherService extends Data.TaggedError("BranchOfAnotherService")<{}> {}

const command = Effect.fnUntraced(function* (
  id: string,
  aim: { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string },
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findPlace(id)
    if (!place.isActive) return yield* new BankAccountNotFound()
    const branch = yield* (yield* Directory).branch(aim.branchId)
    if (branch === undefined) return yield* new BranchNotFound()
    if (branch.serviceId !== place.account.serviceId) return yield* new BranchOfAnotherService()
    const { after } = yield* commandAccount(place, aim, operation)
    return heldBy(after, place.account.accountId) ?? place.account
  }))
  yield* visibleIn(bankAccountsModel)
  const shown: BankAccountOfService = {
    ...(yield* viewOfAccount(account, true)),
    branchIds: account.links.map(({ branchId }) => branchId)
  }
  return shown
})

/** Lets a further branch of its service receive money on an active account. */
export const linkBankAccount = Effect.fn("bankAccounts.linkBankAccount")(
  (id: string, branchId: string, operation: Operation) => command(id, { _tag: "LinkBankAccount", branchId }, operation)
)

/** Takes an account from a branch; it stays what it is, also when no branch is left. */
export const unlinkBankAccount = Effect.fn("bankAccounts.unlinkBankAccount")(
  (id: string, branchId: string, operation: Operation) =>
    command(id, { _tag: "UnlinkBankAccount", branchId }, operation)
)
