import type { Effect } from "effect"
import { makeCondition } from "../../../../projections/engine/condition.ts"

/** The position up to which everything is durable, for many waiters. It only ever grows. */
export interface DurableHead {
  readonly get: () => number
  readonly advance: (position: number) => void
  /** Returns once the head is behind a position: level-triggered, so there is no signal to miss. */
  readonly beyond: (position: number) => Effect.Effect<void>
}

export const makeDurableHead = (): DurableHead => {
  const bell = makeCondition()
  let head = 0
  return {
    get: () => head,
    advance: (position) => {
      if (position <= head) return
      head = position
      bell.ring()
    },
    beyond: (position) => bell.until(() => head > position)
  }
}
