import { Data, Effect } from "effect"
import type { BankAccountOfService } from "./list-bank-accounts.ts"
import { type AccountLocation, locateAccount, locateOwnAccount, viewOfAccount } from "./locate-account.ts"
import { moveBankAccount } from "./move-bank-account.ts"
import { afterConflict, handleCommand } from "../events/handle-command.ts"
import { Directory } from "../provisioning/directory.ts"
import { awaitVisibleIn, contextOf, type Operation } from "../provisioning/operator-command.ts"
import { numberDigest, openDetails, sealDetails } from "../sealing/sealed-data.ts"
import {
  type BankAccountAction,
  BankAccountNotFound,
  BankAccountNotOwned,
  formerOf,
  heldBy
} from "../../domain/bank-account/bank-account.ts"
import { ownerOf } from "../../domain/bank-account/links.ts"
import {
  type BankAccountChange,
  type BankAccountContent,
  changeFields,
  contentOf,
  fieldsOf,
  isSamePersonal
} from "../../domain/bank-account/fields.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"

/** The branch and the account belong to different services. */
export class BranchOfAnotherService extends Data.TaggedError("BranchOfAnotherService")<{}> {}

/** An account of a branch. `id` is the text that the caller sent. */
export interface OwnAccount {
  readonly id: string
  readonly branchId: string
}

/** Applies a command to an account at its located revision. Fails with `BankAccountStale` after a later event. */
const commandAccount = Effect.fnUntraced(function* (
  { account: { accountId, serviceId }, digest, revision: expectedRevision }: AccountLocation,
  action: BankAccountAction,
  operation: Operation
) {
  const context = yield* contextOf(operation)
  const command = { ...action, accountId, expectedRevision, at: isoTime(context.at) }
  return yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die)
  )
})

/** Repeats an attempt that locates and commands an account, while other commands change the account in between. */
const retryWhileStale = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.retry(attempt, { schedule: afterConflict, while: ({ _tag }) => _tag === "BankAccountStale" })

const changeAt = Effect.fnUntraced(function* (
  location: AccountLocation,
  change: BankAccountChange,
  branchId: string,
  operation: Operation
) {
  const { account, digest } = location
  const personal = yield* openDetails(account.details)
  const fields = yield* Effect.fromResult(changeFields(fieldsOf({ ...account, ...personal }), change))
  const details = isSamePersonal(fields, personal) ? account.details : yield* sealDetails(fields)
  const content: BankAccountContent = contentOf({ ...fields, details })
  const newDigest = yield* numberDigest(fields)
  if (newDigest !== digest) {
    const { bankCode } = fields
    return yield* moveBankAccount(location, { digest: newDigest, branchId, bankCode, ...content }, operation)
  }
  const action = { _tag: "ChangeBankAccount", byBranch: branchId, ...content } as const
  const { after } = yield* commandAccount(location, action, operation)
  return heldBy(after, account.accountId) ?? account
})

/**
 * Changes an account that the branch owns. Absent fields stay. An account that moves to another bank or number keeps its
 * id and its links. Fails with `BankAccountNotOwned` for an account that the branch is only linked to, and with
 * `BankAccountDuplicate` while another active account of the service has that number.
 */
export const changeBankAccount = Effect.fn("bankAccounts.changeBankAccount")(function* (
  { branchId, id }: OwnAccount,
  change: BankAccountChange,
  operation: Operation
) {
  const account = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateOwnAccount(id, branchId)
    if (!location.isActive) return yield* new BankAccountNotFound()
    // Before the move of a number, which first claims the new one.
    if (ownerOf(location.account) !== branchId) return yield* new BankAccountNotOwned()
    return yield* changeAt(location, change, branchId, operation)
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, true)
})

/**
 * Deactivates an account of its owner permanently: its history stays and its number becomes free. A branch that is only
 * linked to the account gives up its link, and the account stays active. Repeating it changes nothing.
 */
export const deactivateBankAccount = Effect.fn("bankAccounts.deactivateBankAccount")(function* (
  { branchId, id }: OwnAccount,
  operation: Operation
) {
  const { account, isActive } = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateOwnAccount(id, branchId)
    if (!location.isActive) return location
    const { accountId } = location.account
    if (ownerOf(location.account) !== branchId) {
      const { after } = yield* commandAccount(location, { _tag: "UnlinkBankAccount", branchId }, operation)
      return { account: heldBy(after, accountId) ?? location.account, isActive: true }
    }
    const deactivate = { _tag: "DeactivateBankAccount", byBranch: branchId } as const
    const { after } = yield* commandAccount(location, deactivate, operation)
    const former = formerOf(after, accountId)
    return { account: former?._tag === "Deactivated" ? former.account : location.account, isActive: false }
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, isActive)
})

const changeLink = Effect.fnUntraced(function* (
  id: string,
  action: { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string },
  operation: Operation
) {
  const account = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateAccount(id)
    if (!location.isActive) return yield* new BankAccountNotFound()
    const branch = yield* (yield* Directory).branch(action.branchId)
    if (branch === undefined) return yield* new BranchNotFound()
    if (branch.serviceId !== location.account.serviceId) return yield* new BranchOfAnotherService()
    const { after } = yield* Effect.catchTag(
      commandAccount(location, action, operation),
      "BankAccountNotOwned",
      Effect.die
    )
    return heldBy(after, location.account.accountId) ?? location.account
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  const view: BankAccountOfService = {
    ...(yield* viewOfAccount(account, true)),
    branchIds: account.links.map(({ branchId }) => branchId)
  }
  return view
})

/** Links another branch of the same service to an active account. */
export const linkBankAccount = Effect.fn("bankAccounts.linkBankAccount")(
  (id: string, branchId: string, operation: Operation) =>
    changeLink(id, { _tag: "LinkBankAccount", branchId }, operation)
)

/** Removes the link of a branch. The account stays active, also without links. */
export const unlinkBankAccount = Effect.fn("bankAccounts.unlinkBankAccount")(
  (id: string, branchId: string, operation: Operation) =>
    changeLink(id, { _tag: "UnlinkBankAccount", branchId }, operation)
)
