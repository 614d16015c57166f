import { Effect } from "effect"
import type { BankAccountAim } from "../../domain/bank-account/bank-account.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { afterConflict, handleCommand } from "../events/handle-command.ts"
import type { Place } from "./locate-account.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"

/** Commands an account exactly as it was found: `BankAccountStale` when it is no longer so. */
export const commandAccount = Effect.fnUntraced(function* (
  { account: { accountId, serviceId }, digest, revision: judged }: Place,
  aim: BankAccountAim,
  operation: Operation
) {
  const context = yield* contextOf(operation)
  const command = { ...aim, accountId, judged, at: isoTime(context.at) }
  return yield* handleCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), command, context).pipe(
    Effect.catchTag("BankAccountDuplicate", Effect.die)
  )
})

interface Tagged {
  readonly _tag: string
}

/** Looks at an account and commands it, again and again as long as it was changed in between. */
export const untilSettled = <A, E extends Tagged, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(attempt, { schedule: afterConflict, while: ({ _tag }) => _tag === "BankAccountStale" })
