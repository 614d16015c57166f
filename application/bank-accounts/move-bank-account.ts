import { Effect } from "effect"
import { type BankAccountEvent, BankAccountStale, heldBy } from "../../domain/bank-account/bank-account.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { handleCommand } from "../events/handle-command.ts"
import type { Place } from "./locate-account.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"
import { abandonMove, takeNumber } from "./claim-number.ts"

type Moved = Extract<BankAccountEvent, { readonly _tag: "BankAccountMoved" }>

/** What an account is to be from then on. */
export interface Destination extends Pick<Moved, "bankCode" | "details" | "type" | "extraVerify"> {
  /** Of its new bank and number. */
  readonly digest: string
  /** The branch that moves it. */
  readonly branchId: string
}

/**
 * Moves an account to another number, with its id and its links: it claims the new one, then leaves the old one at
 * exactly the revision at which that was judged. Fails with `BankAccountStale` when somebody else was faster, after the
 * claim was given up. A claim of the same move that another request made, or began and never ended, is brought to its
 * end as that one wanted it, and then it is stale as well: what is still to be changed is judged anew.
 *
 * Nobody can stop it between its steps. Where the log goes away in between, the claim stays until somebody meets it.
 */
export const moveBankAccount = Effect.fnUntraced(function* (
  { account, digest: from, revision: judged }: Place,
  { branchId, digest: to, ...content }: Destination,
  operation: Operation
) {
  const { accountId, createdAt, links, serviceId } = account
  const context = yield* contextOf(operation)
  const taken = yield* takeNumber(to, {
    ...content,
    accountId,
    serviceId,
    branchId,
    at: isoTime(context.at),
    movedFrom: { digest: from, revision: judged, createdAt, links }
  }, context).pipe(
    Effect.mapError((error) =>
      error._tag === "BankAccountDuplicate" && error.accountId === accountId ? new BankAccountStale() : error
    )
  )
  const claim = heldBy(taken.after, accountId)
  if (claim === undefined) return yield* new BankAccountStale()

  const { bankCode, details, extraVerify, revision: toRevision, type, updatedAt: at } = claim
  const moved = { accountId, at, toDigest: to, toRevision, bankCode, details, type, extraVerify }
  const stream = streamOf.bankAccount(serviceId, from)
  yield* handleCommand(bankAccounts, stream, { _tag: "MoveBankAccount", judged, ...moved }, context).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die),
    Effect.tapErrorTag(["BankAccountStale", "BankAccountNotFound"], () => abandonMove(serviceId, to, claim, operation))
  )
  return taken.events.length === 0 ? yield* new BankAccountStale() : claim
}, Effect.uninterruptible)
