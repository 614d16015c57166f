import { Effect } from "effect"
import { viewOf } from "./list-bank-accounts.ts"
import { load } from "../events/handle-command.ts"
import { openDetails } from "../sealing/sealed-data.ts"
import {
  type BankAccount,
  BankAccountNotFound,
  type BankAccountState,
  formerOf,
  heldBy,
  isLinked
} from "../../domain/bank-account/bank-account.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import { parseId } from "../../domain/ids.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { bankAccountRows } from "../../projections/models/bank-accounts.ts"

/** An account as the log has it now, and where. */
export interface Place {
  readonly account: BankAccount
  readonly isActive: boolean
  /** Of its bank and number, after which its stream is named. */
  readonly digest: string
  /** Of the last event of that stream. */
  readonly revision: number
}

/** The claim that an account has on a new number, and the revision of its old number's stream that it was decided at. */
export interface Move {
  readonly accountId: string
  /** Of the claim. */
  readonly revision: number
  readonly movedFrom: { readonly digest: string; readonly revision: number }
}

/**
 * The status of a move to a number. The event after the revision that the move was decided at completes it; any other
 * event there makes it `dead`. `pending` when there is none yet.
 */
export const moveStatus = Effect.fnUntraced(function* (
  serviceId: string,
  digest: string,
  { accountId, movedFrom, revision }: Move
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

/** Whether an account has that number, and not only a claim on it. */
const hasNumber = (digest: string, { accountId, movedFrom, revision, serviceId }: BankAccount) =>
  movedFrom === null
    ? Effect.succeed(true)
    : Effect.map(moveStatus(serviceId, digest, { accountId, movedFrom, revision }), (status) => status === "completed")

/** From a number that an account had to the one that it has: each stream says how the account last left the number. */
const follow = (
  serviceId: string,
  digest: string,
  accountId: string
): Effect.Effect<Place | undefined, EventStoreError, EventStore> =>
  Effect.gen(function* () {
    const { revision, state }: { revision: number; state: BankAccountState } = yield* load(
      bankAccounts,
      streamOf.bankAccount(serviceId, digest)
    )
    const account = heldBy(state, accountId)
    if (account !== undefined && (yield* hasNumber(digest, account))) {
      return { account, isActive: true, digest, revision }
    }
    const former = formerOf(state, accountId)
    if (former === undefined) return undefined
    if (former._tag === "Moved") return yield* follow(serviceId, former.toDigest, accountId)
    return { account: former.account, isActive: false, digest, revision }
  })

/**
 * Where an account of any branch is; `id` as the caller wrote it. The read model says in which stream to look, the log
 * decides: an event that any process has just appended counts.
 */
export const findPlace = Effect.fnUntraced(function* (id: string) {
  const accountId = parseId(id)
  if (accountId === undefined) return yield* new BankAccountNotFound()
  const row = yield* bankAccountRows.getCaughtUp(accountId)
  const place = row === undefined ? undefined : yield* follow(row.serviceId, row.digest, accountId)
  return place ?? (yield* new BankAccountNotFound())
})

/** The same if the branch is linked to it; in use or not. */
export const findOwnPlace = Effect.fnUntraced(function* (id: string, branchId: string) {
  const place = yield* findPlace(id)
  return isLinked(place.account, branchId) ? place : yield* new BankAccountNotFound()
})

/** The record of an account. */
export const viewOfAccount = Effect.fnUntraced(function* (account: BankAccount, isActive: boolean) {
  return viewOf(account.accountId, { ...account, active: isActive }, yield* openDetails(account.details))
})

/** An account that a branch is linked to, as the log has it (docs/spec/http.md, "Bank accounts"). */
export const bankAccount = Effect.fn("bankAccount")(function* (id: string, branchId: string) {
  const { account, isActive } = yield* findOwnPlace(id, branchId)
  return yield* viewOfAccount(account, isActive)
})
