import { Data, Effect } from "effect"
import { requireRoom } from "./account-limit.ts"
import {
  type AccountLocation,
  locateAccount,
  locateAccountFor,
  viewForOperator,
  viewOfAccount
} from "./locate-account.ts"
import { moveBankAccount } from "./move-bank-account.ts"
import { afterConflict } from "../events/handle-command.ts"
import { Directory } from "../provisioning/directory.ts"
import { awaitVisibleIn, handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { numberDigest, openDetails, sealDetails } from "../sealing/sealed-data.ts"
import {
  type BankAccountAction,
  BankAccountNotFound,
  BankAccountNotOwned,
  formerOf,
  heldBy
} from "../../domain/bank-account/bank-account.ts"
import { mayChange } from "../../domain/bank-account/links.ts"
import {
  type BankAccountChange,
  type BankAccountContent,
  changeFields,
  contentOf,
  fieldsOf,
  isSameContent,
  isSamePersonal
} from "../../domain/bank-account/fields.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import { isBound } from "../../domain/sealed.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"

/** The branch and the account belong to different services. */
export class BranchOfAnotherService extends Data.TaggedError("BranchOfAnotherService")<{}> {}

/** Applies a command to an account at its located revision. Fails with `BankAccountStale` after a later event. */
const commandAccount = Effect.fnUntraced(function* (
  { account: { accountId, serviceId }, digest, revision: expectedRevision }: AccountLocation,
  action: BankAccountAction,
  ids: RequestIds
) {
  const command = (at: string) => ({ ...action, accountId, expectedRevision, at })
  return yield* handleOperatorCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, ids).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die)
  )
})

/** Repeats an attempt that locates and commands an account, while other commands change the account in between. */
const retryWhileStale = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.retry(attempt, { schedule: afterConflict, while: ({ _tag }) => _tag === "BankAccountStale" })

const changeAt = Effect.fnUntraced(function* (
  location: AccountLocation,
  change: BankAccountChange,
  ids: RequestIds
) {
  const { account, digest } = location
  const personal = yield* openDetails(account.details)
  const fields = yield* Effect.fromResult(changeFields(fieldsOf({ ...account, ...personal }), change))
  const isSame = isSamePersonal(fields, personal)
  const kept = contentOf({ ...fields, details: account.details })
  const newDigest = yield* numberDigest(fields)
  // A change that changes nothing appends nothing. Otherwise an unbound value must not come into a new event.
  const isKept = isSame && (isBound(account.details) || (newDigest === digest && isSameContent(account, kept)))
  const content: BankAccountContent = isKept
    ? kept
    : contentOf({ ...fields, details: yield* sealDetails(fields, account) })
  if (newDigest !== digest) {
    const { bankCode } = fields
    return yield* moveBankAccount(location, { digest: newDigest, bankCode, ...content }, ids)
  }
  const action = { _tag: "ChangeBankAccount", by: ids.actor, ...content } as const
  const { after } = yield* commandAccount(location, action, ids)
  return heldBy(after, account.accountId) ?? account
})

/** Changes an account for the actor of the operation. `id` is the text that the caller sent. */
const change = Effect.fnUntraced(function* (id: string, change: BankAccountChange, ids: RequestIds) {
  const { actor } = ids
  const account = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateAccountFor(actor, id)
    if (!location.isActive) return yield* new BankAccountNotFound()
    // Before the move of a number, which first claims the new one.
    if (!mayChange(location.account, actor)) return yield* new BankAccountNotOwned()
    return yield* changeAt(location, change, ids)
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  return account
})

const deactivateAt = Effect.fnUntraced(function* (location: AccountLocation, ids: RequestIds) {
  const { accountId } = location.account
  const action = { _tag: "DeactivateBankAccount", by: ids.actor } as const
  const { after } = yield* commandAccount(location, action, ids)
  const former = formerOf(after, accountId)
  return { account: former?._tag === "Deactivated" ? former.account : location.account, isActive: false }
})

/** Deactivates an account for the actor of the operation, or removes the link of a branch that does not own it. */
const deactivate = Effect.fnUntraced(function* (id: string, ids: RequestIds) {
  const { actor } = ids
  const left = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateAccountFor(actor, id)
    const { account, isActive } = location
    if (!isActive) return { account, isActive }
    if (mayChange(account, actor)) return yield* deactivateAt(location, ids)
    const { after } = yield* commandAccount(location, { _tag: "UnlinkBankAccount", branchId: actor.id }, ids)
    return { account: heldBy(after, account.accountId) ?? account, isActive: true }
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  return left
})

/**
 * Changes an account that the branch owns. Absent fields stay. An account that moves to another bank or number keeps its
 * id and its links. Fails with `BankAccountNotOwned` for an account that the branch is only linked to, and with
 * `BankAccountDuplicate` while another active account of the service has that number.
 */
export const changeBankAccount = Effect.fn("bankAccounts.changeBankAccount")(function* (
  id: string,
  fields: BankAccountChange,
  ids: RequestIds
) {
  return yield* viewOfAccount(yield* change(id, fields, ids), true)
})

/**
 * Deactivates an account of its owner permanently: its history stays and its number becomes free. A branch that is only
 * linked to the account gives up its link, and the account stays active. Repeating it changes nothing.
 */
export const deactivateBankAccount = Effect.fn("bankAccounts.deactivateBankAccount")(function* (
  id: string,
  ids: RequestIds
) {
  const { account, isActive } = yield* deactivate(id, ids)
  return yield* viewOfAccount(account, isActive)
})

/** `changeBankAccount` for operators, who may change every account. */
export const changeAnyBankAccount = Effect.fn("bankAccounts.changeAnyBankAccount")(function* (
  id: string,
  fields: BankAccountChange,
  ids: RequestIds
) {
  const account = yield* Effect.catchTag(change(id, fields, ids), "BankAccountNotOwned", Effect.die)
  return yield* viewForOperator(account, true)
})

/** `deactivateBankAccount` for operators, who may deactivate every account. */
export const deactivateAnyBankAccount = Effect.fn("bankAccounts.deactivateAnyBankAccount")(function* (
  id: string,
  ids: RequestIds
) {
  const { account, isActive } = yield* Effect.catchTag(deactivate(id, ids), "BankAccountNotOwned", Effect.die)
  return yield* viewForOperator(account, isActive)
})

const changeLink = Effect.fnUntraced(function* (
  id: string,
  action: { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string },
  ids: RequestIds
) {
  const account = yield* retryWhileStale(Effect.gen(function* () {
    const location = yield* locateAccount(id)
    if (!location.isActive) return yield* new BankAccountNotFound()
    const branch = yield* (yield* Directory).branch(action.branchId)
    if (branch === undefined) return yield* new BranchNotFound()
    if (branch.serviceId !== location.account.serviceId) return yield* new BranchOfAnotherService()
    if (action._tag === "LinkBankAccount") yield* requireRoom(branch.id, location.account.accountId)
    const { after } = yield* Effect.catchTag(
      commandAccount(location, action, ids),
      "BankAccountNotOwned",
      Effect.die
    )
    return heldBy(after, location.account.accountId) ?? location.account
  }))
  yield* awaitVisibleIn(bankAccountsModel)
  return yield* viewForOperator(account, true)
})

/** Links another branch of the same service to an active account. Fails with `BankAccountsFull` when it has too many. */
export const linkBankAccount = Effect.fn("bankAccounts.linkBankAccount")(
  (id: string, branchId: string, ids: RequestIds) => changeLink(id, { _tag: "LinkBankAccount", branchId }, ids)
)

/** Removes the link of a branch. The account stays active, also without links. */
export const unlinkBankAccount = Effect.fn("bankAccounts.unlinkBankAccount")(
  (id: string, branchId: string, ids: RequestIds) => changeLink(id, { _tag: "UnlinkBankAccount", branchId }, ids)
)
