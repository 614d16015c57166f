import { Effect } from "effect"

/** Wakes those who wait for something that is looked at again at every ring. Level-triggered: no ring can be missed. */
export interface Condition {
  /** Lets everybody who waits look again, before it returns. */
  readonly ring: () => void
  /** Returns once it is so, which may be at once. */
  readonly until: (isSo: () => boolean) => Effect.Effect<void>
  /** How many wait. */
  readonly waiting: () => number
}

export const makeCondition = (): Condition => {
  const waiting = new Set<() => void>()
  return {
    ring: () => {
      // A copy: who is woken runs at once, and may be waiting again before this loop is over.
      for (const look of Array.from(waiting)) look()
    },
    until: (isSo) =>
      Effect.callback<void>((resume) => {
        if (isSo()) return resume(Effect.void)
        const look = () => {
          if (!isSo()) return
          waiting.delete(look)
          resume(Effect.void)
        }
        waiting.add(look)
        // This is for those who are interrupted alone: who was woken has left by himself.
        return Effect.sync(() => waiting.delete(look))
      }),
    waiting: () => waiting.size
  }
}
