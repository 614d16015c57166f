import { Effect } from "effect"

/** The position up to which everything is durable, for many waiters. It only ever grows. */
export interface DurableHead {
  readonly get: () => number
  readonly advance: (position: number) => void
  /** Returns once the head is behind a position: level-triggered, so there is no signal to miss. */
  readonly beyond: (position: number) => Effect.Effect<void>
}

export const makeDurableHead = (): DurableHead => {
  let head = 0
  const waiting = new Set<() => void>()

  return {
    get: () => head,
    advance: (position) => {
      if (position <= head) return
      head = position
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
    },
    beyond: (position) =>
      Effect.callback<void>((resume) => {
        const look = (): void => {
          if (head > position) resume(Effect.void)
          else waiting.add(look)
        }
        look()
        return Effect.sync(() => {
          waiting.delete(look)
        })
      })
  }
}
