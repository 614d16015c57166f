import { Data, Effect } from "effect"
import { Claims } from "../../ports/claims.ts"

/** It was cut off, because somebody else may believe by now that it was left. */
export class StepTookTooLong extends Data.TaggedError("StepTookTooLong")<{ readonly millis: number }> {}

/** Runs an effect under a claim, and not at all when somebody else has it. It ends before the claim runs out. */
export const underClaim = Effect.fnUntraced(function* <E, R>(
  name: string,
  forMillis: number,
  run: Effect.Effect<void, E, R>
) {
  const { claim, giveBack } = yield* Claims
  const inTime = Effect.timeoutOrElse(run, {
    duration: forMillis,
    orElse: () => Effect.fail(new StepTookTooLong({ millis: forMillis }))
  })
  return yield* Effect.acquireUseRelease(
    claim(name, forMillis),
    (isMine) => isMine ? inTime : Effect.void,
    (isMine) => isMine ? giveBack(name) : Effect.void
  )
})
