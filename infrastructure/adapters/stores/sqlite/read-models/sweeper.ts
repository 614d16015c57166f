import { Effect } from "effect"
import type { ReadModelsError } from "../../../../../ports/read-models.ts"
import { makeCondition } from "../../../../../projections/engine/condition.ts"

/**
 * Deletes the content of replaced models in small steps, until the scope closes: also that which an earlier process has
 * left. `notify` says that there is some.
 */
export const makeSweeper = Effect.fnUntraced(function* (step: Effect.Effect<boolean, ReadModelsError>) {
  const changed = makeCondition()
  let isWanted = true
  const run = Effect.gen(function* () {
    yield* changed.await(() => isWanted)
    isWanted = false
    // An error is no loss: the next process tries again.
    while (yield* Effect.orElseSucceed(step, () => false)) yield* Effect.sleep(sweepPauseMillis)
  })
  yield* Effect.forkScoped(Effect.forever(run))
  return {
    notify: () => {
      isWanted = true
      changed.notifyAll()
    }
  }
})

/** Between two steps of a sweep, in which the process serves others. */
const sweepPauseMillis = 10
