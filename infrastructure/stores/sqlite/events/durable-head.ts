import type { Effect } from "effect"
import { makeCondition } from "../../../../projections/engine/condition.ts"

/** The position up to which every event is durable. It never decreases. */
export interface DurableHead {
  readonly get: () => number
  readonly advance: (position: number) => void
  /** Waits until the head is after a position; returns at once when it is. */
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
