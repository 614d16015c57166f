import { Clock, Effect } from "effect"
import type { BankAccountDuplicate, BankAccountRegistered } from "../../domain/bank-account/bank-account.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand, type Handled } from "../events/handle-command.ts"
import type { EventStore, EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import { courseOf, type Move } from "./locate-account.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"

/** The claim of a move to a number, and since when it stands. */
interface Claim extends Move {
  readonly at: string
}

/**
 * How long a move may take between its two steps, in milliseconds. The time alone takes nothing from anybody: a move that
 * takes longer is refused in the log first, and so can't come to its end behind our back.
 */
const MOVE_MILLIS = 60_000

/** Shuts out a move that nobody brought to its end, at the number that the account would leave. */
const refuse = Effect.fnUntraced(
  function* (serviceId: string, toDigest: string, claim: Claim, context: CommandContext) {
    const { accountId, movedFrom: { digest, revision: judged } } = claim
    const command = { _tag: "RefuseMove", accountId, judged, toDigest, at: isoTime(context.at) } as const
    yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
      // It did come to its end, just now: the next look at it tells.
      Effect.catchTag(["BankAccountStale", "BankAccountNotFound", "BankAccountDuplicate"], () => Effect.void)
    )
  }
)

/** Gives up the claim that a move has on a number. Only for a move that can't come to its end any more. */
export const abandonMove = Effect.fnUntraced(function* (
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

/** Whether a claim that is in the way was nobody's any more; it is then gone. */
const isCleared = Effect.fnUntraced(function* (serviceId: string, digest: string, claim: Claim, operation: Operation) {
  const look = courseOf(serviceId, digest, claim)
  let course = yield* look
  if (course === "pending" && (yield* Clock.currentTimeMillis) - Date.parse(claim.at) >= MOVE_MILLIS) {
    yield* refuse(serviceId, digest, claim, yield* contextOf(operation))
    course = yield* look
  }
  if (course === "dead") yield* abandonMove(serviceId, digest, claim, operation)
  return course === "dead"
})

type Taken = Handled<typeof bankAccounts.decider.initialState, ReturnType<typeof bankAccounts.codec.decode>>

/**
 * Takes a number for an account, or claims it for one that moves to it; fails with `BankAccountDuplicate` while another
 * account has it. What a move left behind that never came to its end is no hindrance.
 */
export const takeNumber = (
  digest: string,
  account: Omit<BankAccountRegistered, "_tag">,
  context: CommandContext
): Effect.Effect<
  Taken,
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
        (cleared) => cleared ? takeNumber(digest, account, context) : Effect.fail(duplicate)
      )
    })
  )
}
