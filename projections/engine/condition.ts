import { Effect } from "effect"

/** A condition variable. A predicate is checked again at each `notifyAll`, so no change can be missed. */
export interface Condition {
  /** Checks the predicate of every waiting fiber before it returns. */
  readonly notifyAll: () => void
  /** Waits until the predicate is true; returns at once when it is. */
  readonly await: (predicate: () => boolean) => Effect.Effect<void>
  readonly waiting: () => number
}

export const makeCondition = (): Condition => {
  const waiting = new Set<() => void>()
  return {
    notifyAll: () => {
      // A copy: a resumed fiber runs at once and may wait again before this loop ends.
      for (const check of Array.from(waiting)) check()
    },
    await: (predicate) =>
      Effect.callback<void>((resume) => {
        if (predicate()) return resume(Effect.void)
        const check = () => {
          if (!predicate()) return
          waiting.delete(check)
          resume(Effect.void)
        }
        waiting.add(check)
        return Effect.sync(() => waiting.delete(check))
      }),
    waiting: () => waiting.size
  }
}
