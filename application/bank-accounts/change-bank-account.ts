import { Data, Effect } from "effect"
import type { BankAccountOfService } from "./list-bank-accounts.ts"
import { findOwnPlace, findPlace, type Place, viewOfAccount } from "./locate-account.ts"
import { moveBankAccount } from "./move-bank-account.ts"
import { afterConflict, handleCommand } from "../events/handle-command.ts"
import { Directory } from "../provisioning/directory.ts"
import { contextOf, type Operation, visibleIn } from "../provisioning/operator-command.ts"
import { numberDigest, openDetails, sealDetails } from "../sealing/sealed-data.ts"
import {
  type BankAccountAction,
  BankAccountNotFound,
  formerOf,
  heldBy
} from "../../domain/bank-account/bank-account.ts"
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

/** Only branches of one service share accounts. */
export class BranchOfAnotherService extends Data.TaggedError("BranchOfAnotherService")<{}> {}

/** An account of a branch; `id` as the caller wrote it. */
export interface OwnAccount {
  readonly id: string
  readonly branchId: string
}

/** Commands an account at the revision at which it was found; fails with `BankAccountStale` after another event. */
const commandAccount = Effect.fnUntraced(function* (
  { account: { accountId, serviceId }, digest, revision: expectedRevision }: Place,
  action: BankAccountAction,
  operation: Operation
) {
  const context = yield* contextOf(operation)
  const command = { ...action, accountId, expectedRevision, at: isoTime(context.at) }
  return yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die)
  )
})

/** Finds an account and commands it, and begins again while another command changes it in between. */
const untilSettled = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.retry(attempt, { schedule: afterConflict, while: ({ _tag }) => _tag === "BankAccountStale" })

const changeAt = Effect.fnUntraced(function* (
  place: Place,
  change: BankAccountChange,
  branchId: string,
  operation: Operation
) {
  const { account, digest } = place
  const personal = yield* openDetails(account.details)
  const fields = yield* Effect.fromResult(changeFields(fieldsOf({ ...account, ...personal }), change))
  const details = isSamePersonal(fields, personal) ? account.details : yield* sealDetails(fields)
  const content: BankAccountContent = contentOf({ ...fields, details })
  const newDigest = yield* numberDigest(fields)
  if (newDigest !== digest) {
    const { bankCode } = fields
    return yield* moveBankAccount(place, { digest: newDigest, branchId, bankCode, ...content }, operation)
  }
  const { after } = yield* commandAccount(place, { _tag: "ChangeBankAccount", ...content }, operation)
  return heldBy(after, account.accountId) ?? account
})

/**
 * Changes an account that the branch is linked to; what is absent stays. With another bank or number it keeps its id and
 * its links, and fails with `BankAccountDuplicate` while another active account of the service has that number.
 */
export const changeBankAccount = Effect.fn("bankAccounts.changeBankAccount")(function* (
  { branchId, id }: OwnAccount,
  change: BankAccountChange,
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findOwnPlace(id, branchId)
    if (!place.isActive) return yield* new BankAccountNotFound()
    return yield* changeAt(place, change, branchId, operation)
  }))
  yield* visibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, true)
})

/** Takes an account out of use for good: its history stays, its number is free. Once more changes nothing. */
export const deactivateBankAccount = Effect.fn("bankAccounts.deactivateBankAccount")(function* (
  { branchId, id }: OwnAccount,
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findOwnPlace(id, branchId)
    if (!place.isActive) return place.account
    const { after } = yield* commandAccount(place, { _tag: "DeactivateBankAccount" }, operation)
    const former = formerOf(after, place.account.accountId)
    return former?._tag === "Deactivated" ? former.account : place.account
  }))
  yield* visibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, false)
})

const changeLink = Effect.fnUntraced(function* (
  id: string,
  action: { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string },
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findPlace(id)
    if (!place.isActive) return yield* new BankAccountNotFound()
    const branch = yield* (yield* Directory).branch(action.branchId)
    if (branch === undefined) return yield* new BranchNotFound()
    if (branch.serviceId !== place.account.serviceId) return yield* new BranchOfAnotherService()
    const { after } = yield* commandAccount(place, action, operation)
    return heldBy(after, place.account.accountId) ?? place.account
  }))
  yield* visibleIn(bankAccountsModel)
  const view: BankAccountOfService = {
    ...(yield* viewOfAccount(account, true)),
    branchIds: account.links.map(({ branchId }) => branchId)
  }
  return view
})

/** Lets a further branch of its service receive money on an active account. */
export const linkBankAccount = Effect.fn("bankAccounts.linkBankAccount")(
  (id: string, branchId: string, operation: Operation) =>
    changeLink(id, { _tag: "LinkBankAccount", branchId }, operation)
)

/** Removes the link of a branch; the account stays as it is, also without any link. */
export const unlinkBankAccount = Effect.fn("bankAccounts.unlinkBankAccount")(
  (id: string, branchId: string, operation: Operation) =>
    changeLink(id, { _tag: "UnlinkBankAccount", branchId }, operation)
)
