import { Effect } from "effect"
import { EventStoreError } from "../../ports/event-store.ts"

/** What the log says about a stream that is not as this service wrote it. */
export const DAMAGED = "The event store is damaged, or events were removed from it"

const ADVICE =
  "Restore the log from a backup (docs/backup.md), and remove $maxCount, $maxAge and $tb from the metadata of "
  + "its streams"

/** The read models know a verification that its stream no longer has. */
export const failVerificationMissing = (
  stream: string,
  verificationId: string
): Effect.Effect<never, EventStoreError> =>
  failStreamChanged("readStream", `${stream} lacks the verification ${verificationId}, which the read models have`)

/** Fails with `corrupt`, and says why in the log: a decision on the rest of a stream would be wrong. */
export const failStreamChanged = (operation: string, what: string): Effect.Effect<never, EventStoreError> =>
  Effect.suspend(() => {
    const error = new EventStoreError({ operation, reason: "corrupt", cause: new Error(`${what}. ${ADVICE}`) })
    return Effect.andThen(Effect.logError(DAMAGED, error), Effect.fail(error))
  })
