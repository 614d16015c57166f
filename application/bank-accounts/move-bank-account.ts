import { Clock, Effect } from "effect"
import { type Move, moveStatus, type Place } from "./locate-account.ts"
import { type CommandContext, handleCommand, type Handled } from "../events/handle-command.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"
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

/** The claim of a move to a number, and when it was made. */
interface Claim extends Move {
  readonly at: string
}

/**
 * The time between the two steps of a move, in milliseconds. After it another account may take the number: the move is
 * refused in the log first, so that it cannot be completed later.
 */
const MOVE_MILLIS = 60_000

/** Refuses a move that was not completed in time, in the stream of the number that the account would leave. */
const refuseMove = Effect.fnUntraced(
  function* (serviceId: string, toDigest: string, claim: Claim, context: CommandContext) {
    const { accountId, movedFrom: { digest, revision: expectedRevision } } = claim
    const command = { _tag: "RefuseMove", accountId, expectedRevision, toDigest, at: isoTime(context.at) } as const
    yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
      // The move has just been completed: the next read of its status shows it.
      Effect.catchTag(["BankAccountStale", "BankAccountNotFound", "BankAccountDuplicate"], () => Effect.void)
    )
  }
)

/** Gives up the claim that a move has on a number. Only for a move that cannot be completed any more. */
const abandonMove = Effect.fnUntraced(function* (
  serviceId: string,
  digest: string,
  { accountId, revision }: Pick<Move, "accountId" | "revision">,
  operation: Operation
) {
  const context = yield* contextOf(operation)
  const command = { _tag: "AbandonMove", accountId, revision, at: isoTime(context.at) } as const
  yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
    Effect.catchTag(["BankAccountStale", "BankAccountNotFound", "BankAccountDuplicate"], Effect.die)
  )
})

/** Whether a claim that is in the way had expired; the claim is then removed. */
const isCleared = Effect.fnUntraced(function* (serviceId: string, digest: string, claim: Claim, operation: Operation) {
  const readStatus = moveStatus(serviceId, digest, claim)
  let status = yield* readStatus
  if (status === "pending" && (yield* Clock.currentTimeMillis) - Date.parse(claim.at) >= MOVE_MILLIS) {
    yield* refuseMove(serviceId, digest, claim, yield* contextOf(operation))
    status = yield* readStatus
  }
  if (status === "dead") yield* abandonMove(serviceId, digest, claim, operation)
  return status === "dead"
})

type Claimed = Handled<typeof bankAccounts.decider.initialState, ReturnType<typeof bankAccounts.codec.decode>>

/**
 * Takes a number for an account, or claims it for one that moves to it; fails with `BankAccountDuplicate` while another
 * account has it. The claim of a move that was not completed in time does not count.
 */
export const claimNumber = (
  digest: string,
  account: Omit<Complete<BankAccountRegistered>, "_tag">,
  context: CommandContext
): Effect.Effect<
  Claimed,
  BankAccountDuplicate | EventStoreError | WrongExpectedRevision,
  EventStore | Identifiers
> => {
  const { serviceId } = account
  const stream = streamOf.bankAccount(serviceId, digest)
  return handleCommand(bankAccounts, stream, { _tag: "RegisterBankAccount", ...account }, context).pipe(
    Effect.catchTag(["BankAccountStale", "BankAccountNotFound"], Effect.die),
    Effect.catchTag("BankAccountDuplicate", (duplicate) => {
      const { accountId, at, movedFrom, revision } = duplicate
      if (movedFrom === null) return Effect.fail(duplicate)
      return Effect.flatMap(
        isCleared(serviceId, digest, { accountId, movedFrom, revision, at }, context),
        (cleared) => cleared ? claimNumber(digest, account, context) : Effect.fail(duplicate)
      )
    })
  )
}

/** What an account is to be after a move. */
export interface Destination extends BankAccountContent {
  readonly bankCode: string
  /** Of its new bank and number. */
  readonly digest: string
  /** The branch that moves it. */
  readonly branchId: string
}

/**
 * Moves an account to another number, with its id and its links: it claims the new number, then leaves the old one at
 * exactly the revision at which that was decided. Fails with `BankAccountStale` when another command was faster, after
 * the claim was given up. A claim of the same move that an earlier request made is completed with the content of that
 * request; the move is then stale as well, and the caller decides again what is left to change.
 *
 * It cannot be interrupted between its steps. When the log fails in between, the claim stays until `claimNumber` of
 * another account removes it.
 */
export const moveBankAccount = Effect.fnUntraced(function* (
  { account, digest: from, revision: expectedRevision }: Place,
  destination: Destination,
  operation: Operation
) {
  const { accountId, createdAt, links, serviceId } = account
  const { bankCode, branchId, digest: toDigest } = destination
  const context = yield* contextOf(operation)
  const claimed = yield* claimNumber(toDigest, {
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
  const claim = heldBy(claimed.after, accountId)
  if (claim === undefined) return yield* new BankAccountStale()

  yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, from), {
    _tag: "MoveBankAccount",
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
      ["BankAccountStale", "BankAccountNotFound"],
      () => abandonMove(serviceId, toDigest, claim, operation)
    )
  )
  return claimed.events.length === 0 ? yield* new BankAccountStale() : claim
}, Effect.uninterruptible)
