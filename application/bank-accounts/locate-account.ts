import { Effect } from "effect"
import { type BankAccountOfService, viewOf } from "./list-bank-accounts.ts"
import { load } from "../events/handle-command.ts"
import { openDetails } from "../sealing/sealed-data.ts"
import { BankAccountNotFound, formerOf, heldBy } from "../../domain/bank-account/bank-account.ts"
import { isLinked } from "../../domain/bank-account/links.ts"
import type { BankAccount, BankAccountState } from "../../domain/bank-account/state.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import type { Actor } from "../../domain/actor.ts"
import { parseId } from "../../domain/ids.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { bankAccountRows, bankAccountSets, bankAccountsModel } from "../../projections/models/bank-accounts.ts"

/** An account as the log has it now, and the stream that holds it. */
export interface AccountLocation {
  readonly account: BankAccount
  readonly isActive: boolean
  /** The digest of its bank and number. It names the account's stream. */
  readonly digest: string
  /** The revision of the last event of that stream. */
  readonly revision: number
}

/**
 * The claim of a moving account on a new number. `movedFrom` names its old number and the revision of that number's
 * stream at which the move was decided.
 */
export interface MoveClaim {
  readonly accountId: string
  /** The revision of the claim. */
  readonly revision: number
  readonly movedFrom: { readonly digest: string; readonly revision: number }
}

/**
 * The status of a move to a number. It depends on the next event after `movedFrom.revision`. The move is `completed` by
 * its own event, `dead` after any other event, and `pending` while there is none.
 */
export const moveStatus = Effect.fnUntraced(function* (
  serviceId: string,
  digest: string,
  { accountId, movedFrom, revision }: MoveClaim
) {
  const store = yield* EventStore
  const [next] = yield* store.readStream(streamOf.bankAccount(serviceId, movedFrom.digest), {
    from: movedFrom.revision + 1,
    limit: 1
  })
  if (next === undefined) return "pending"
  const event = bankAccounts.codec.decode(next)
  const isCompleted = event._tag === "BankAccountMoved" && event.accountId === accountId
    && event.toDigest === digest && event.toRevision === revision
  return isCompleted ? "completed" : "dead"
})

/** Whether an account has the number, and not only a claim on it. */
const hasTakenNumber = (digest: string, { accountId, movedFrom, revision, serviceId }: BankAccount) =>
  movedFrom === null
    ? Effect.succeed(true)
    : Effect.map(moveStatus(serviceId, digest, { accountId, movedFrom, revision }), (status) => status === "completed")

/**
 * Follows an account from a number that it had to its current number. The stream of each number records how the account
 * last left it.
 */
const follow = (
  serviceId: string,
  digest: string,
  accountId: string
): Effect.Effect<AccountLocation | undefined, EventStoreError, EventStore> =>
  Effect.gen(function* () {
    const { revision, state }: { revision: number; state: BankAccountState } = yield* load(
      bankAccounts,
      streamOf.bankAccount(serviceId, digest)
    )
    const account = heldBy(state, accountId)
    if (account !== undefined && (yield* hasTakenNumber(digest, account))) {
      return { account, isActive: true, digest, revision }
    }
    const former = formerOf(state, accountId)
    if (former === undefined) return undefined
    if (former._tag === "Moved") return yield* follow(serviceId, former.toDigest, accountId)
    return { account: former.account, isActive: false, digest, revision }
  })

/**
 * Locates an account of any branch. `id` is the text that the caller sent. The read model names a stream to start from.
 * The account itself is read from the log, so it includes events that were just appended.
 */
export const locateAccount = Effect.fnUntraced(function* (id: string) {
  const accountId = parseId(id)
  if (accountId === undefined) return yield* new BankAccountNotFound()
  const row = yield* bankAccountRows.getCaughtUp(accountId)
  const location = row === undefined ? undefined : yield* follow(row.serviceId, row.digest, accountId)
  return location ?? (yield* new BankAccountNotFound())
})

/** Whether the read model has a link of the branch. Before it says no, it waits until it has caught up with the log. */
const isListed = (accountId: string, branchId: string) => {
  const listed = bankAccountSets.ofBranch(branchId).has(accountId)
  return Effect.filterOrElse(listed, (found) => found, () => Effect.andThen(caughtUp([bankAccountsModel]), listed))
}

/**
 * Locates an account that the branch is linked to, active or not. Fails with `BankAccountNotFound` for any other. An
 * account of other branches takes the same reads as one that does not exist: the time must not tell that it does.
 */
export const locateOwnAccount = Effect.fnUntraced(function* (id: string, branchId: string) {
  const accountId = parseId(id)
  if (accountId === undefined || !(yield* isListed(accountId, branchId))) return yield* new BankAccountNotFound()
  const location = yield* locateAccount(accountId)
  return isLinked(location.account, branchId) ? location : yield* new BankAccountNotFound()
})

/** Locates an account for an actor: an operator finds every account, a branch those that it is linked to. */
export const locateAccountFor = ({ id: actorId, kind }: Actor, id: string) =>
  kind === "admin" ? locateAccount(id) : locateOwnAccount(id, actorId)

/** The view of an account. */
export const viewOfAccount = Effect.fnUntraced(function* (account: BankAccount, isActive: boolean) {
  return viewOf(account.accountId, { ...account, active: isActive }, yield* openDetails(account.details))
})

/** An account that the branch is linked to, as the log has it (docs/spec/http.md, "Bank accounts"). */
export const bankAccount = Effect.fn("bankAccount")(function* (id: string, branchId: string) {
  const { account, isActive } = yield* locateOwnAccount(id, branchId)
  return yield* viewOfAccount(account, isActive)
})

/** The view of an account for operators. */
export const viewForOperator = Effect.fnUntraced(function* (account: BankAccount, isActive: boolean) {
  const branchIds = account.links.map(({ branchId }) => branchId)
  return { ...(yield* viewOfAccount(account, isActive)), branchIds } satisfies BankAccountOfService
})

/** An account of any branch, as the log has it, for operators. */
export const anyBankAccount = Effect.fn("anyBankAccount")(function* (id: string) {
  const { account, isActive } = yield* locateAccount(id)
  return yield* viewForOperator(account, isActive)
})
