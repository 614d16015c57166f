import { Clock, Effect } from "effect"
import { type AccountLocation, type MoveClaim, moveStatus } from "./locate-account.ts"
import { type CommandContext, handleCommand, type Handled } from "../events/handle-command.ts"
import { contextOf, handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import {
  type BankAccountDuplicate,
  type BankAccountRegistered,
  BankAccountStale,
  heldBy
} from "../../domain/bank-account/bank-account.ts"
import { type BankAccountContent, contentOf } from "../../domain/bank-account/fields.ts"
import type { Complete } from "../../domain/decider.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import type { EventStore, EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"

/** The claim of a move to a number. `at` is the time of the claim. */
interface TimedClaim extends MoveClaim {
  readonly at: string
}

/**
 * The longest time between the two steps of a move, in milliseconds. After it another account may take the number. The
 * log first refuses the move, so that it cannot be completed later.
 */
const CLAIM_LIFETIME_MILLIS = 60_000

/** Refuses a move that was not completed in time. The event goes into the stream of the account's old number. */
const refuseMove = Effect.fnUntraced(
  function* (serviceId: string, toDigest: string, claim: TimedClaim, ids: RequestIds) {
    const { accountId, movedFrom: { digest, revision: expectedRevision } } = claim
    const refuse = (at: string) => ({ _tag: "RefuseMove", accountId, expectedRevision, toDigest, at }) as const
    yield* handleOperatorCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), refuse, ids).pipe(
      // The move was completed in between. The next read of its status shows it.
      Effect.catchTag(["BankAccountStale", "BankAccountNotFound", "BankAccountDuplicate"], () => Effect.void),
      Effect.catchTag("BankAccountNotOwned", Effect.die)
    )
  }
)

/** Releases the claim of a move on a number. The move must be `dead`. */
const abandonMove = Effect.fnUntraced(function* (
  serviceId: string,
  digest: string,
  { accountId, revision }: Pick<MoveClaim, "accountId" | "revision">,
  ids: RequestIds
) {
  const abandon = (at: string) => ({ _tag: "AbandonMove", accountId, revision, at }) as const
  yield* handleOperatorCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), abandon, ids).pipe(
    Effect.catchTag(
      ["BankAccountStale", "BankAccountNotFound", "BankAccountNotOwned", "BankAccountDuplicate"],
      Effect.die
    )
  )
})

/** Removes a claim if its move is dead or has expired. Returns whether it was removed. */
const removeDeadClaim = Effect.fnUntraced(
  function* (serviceId: string, digest: string, claim: TimedClaim, ids: RequestIds) {
    const readStatus = moveStatus(serviceId, digest, claim)
    let status = yield* readStatus
    if (status === "pending" && (yield* Clock.currentTimeMillis) - Date.parse(claim.at) >= CLAIM_LIFETIME_MILLIS) {
      yield* refuseMove(serviceId, digest, claim, ids)
      status = yield* readStatus
    }
    if (status === "dead") yield* abandonMove(serviceId, digest, claim, ids)
    return status === "dead"
  }
)

type HandledRegistration = Handled<
  typeof bankAccounts.decider.initialState,
  ReturnType<typeof bankAccounts.codec.decode>
>

/**
 * Takes a number for a new account, or claims it for a moving one. Fails with `BankAccountDuplicate` while another
 * account has the number. A claim of another account that has expired is removed first.
 */
export const claimNumber = (
  digest: string,
  account: Omit<Complete<BankAccountRegistered>, "_tag">,
  context: CommandContext
): Effect.Effect<
  HandledRegistration,
  BankAccountDuplicate | EventStoreError | WrongExpectedRevision,
  EventStore | Identifiers
> => {
  const { serviceId } = account
  const stream = streamOf.bankAccount(serviceId, digest)
  return handleCommand(bankAccounts, stream, { _tag: "RegisterBankAccount", ...account }, context).pipe(
    Effect.catchTag(["BankAccountStale", "BankAccountNotFound", "BankAccountNotOwned"], Effect.die),
    Effect.catchTag("BankAccountDuplicate", (duplicate) => {
      const { accountId, at, movedFrom, revision } = duplicate
      if (movedFrom === null) return Effect.fail(duplicate)
      return Effect.flatMap(
        removeDeadClaim(serviceId, digest, { accountId, movedFrom, revision, at }, context),
        (isRemoved) => isRemoved ? claimNumber(digest, account, context) : Effect.fail(duplicate)
      )
    })
  )
}

/** The content of an account after a move. */
export interface Destination extends BankAccountContent {
  readonly bankCode: string
  /** The digest of the new bank and number. */
  readonly digest: string
}

/**
 * Moves an account to another number, with its id and its links, in two steps. It claims the new number, and then leaves
 * the old one at exactly the revision at which the move was decided. It cannot be interrupted between the steps. The
 * actor of the operation must be allowed to change the account.
 *
 * Fails with `BankAccountStale` when another command changed the account first; the claim is then released. A claim of
 * an earlier request for the same move is completed with the content of that request. The move then also fails with
 * `BankAccountStale`, and the caller decides again what remains to change.
 *
 * When the log fails between the steps, the claim stays until `claimNumber` of another account removes it.
 */
export const moveBankAccount = Effect.fnUntraced(function* (
  { account, digest: from, revision: expectedRevision }: AccountLocation,
  destination: Destination,
  ids: RequestIds
) {
  const { accountId, branchId, createdAt, links, serviceId } = account
  const { bankCode, digest: toDigest } = destination
  const context = yield* contextOf(ids)
  const handled = yield* claimNumber(toDigest, {
    accountId,
    serviceId,
    branchId,
    bankCode,
    ...contentOf(destination),
    at: isoTime(context.at),
    movedFrom: { digest: from, revision: expectedRevision, createdAt, links }
  }, context).pipe(
    Effect.mapError((error) =>
      error._tag === "BankAccountDuplicate" && error.accountId === accountId ? new BankAccountStale() : error
    )
  )
  const claim = heldBy(handled.after, accountId)
  if (claim === undefined) return yield* new BankAccountStale()

  yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, from), {
    _tag: "MoveBankAccount",
    by: ids.actor,
    accountId,
    expectedRevision,
    at: claim.updatedAt,
    toDigest,
    toRevision: claim.revision,
    bankCode: claim.bankCode,
    ...contentOf(claim)
  }, context).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die),
    Effect.tapErrorTag(
      ["BankAccountStale", "BankAccountNotFound", "BankAccountNotOwned"],
      () => abandonMove(serviceId, toDigest, claim, ids)
    )
  )
  return handled.events.length === 0 ? yield* new BankAccountStale() : claim
}, Effect.uninterruptible)
