import { Effect } from "effect"
import { type Condition, makeCondition } from "./condition.ts"
import type { Projection } from "./projection.ts"

/** The order in which the models of a process are built: those that requests wait for come first. */
export interface Turns {
  readonly changed: Condition
  /** The projections in front of the others: each runs what requests wait for. */
  readonly first: Set<Projection>
  /** All projections that are brought forward in large batches. */
  readonly behind: Set<Projection>
  /** Called when none is behind any more. */
  readonly onNoneBehind: () => void
}

export const makeTurns = (onNoneBehind: () => void): Turns => ({
  changed: makeCondition(),
  first: new Set(),
  behind: new Set(),
  onNoneBehind
})

/** Waits until no projection that requests wait for is being built. */
export const awaitFront = ({ changed, first }: Turns) => changed.await(() => first.size === 0)

/** Takes a turn for a large batch, until `leaveTurns`: at once for a projection that requests wait for. */
export const takeTurn = (turns: Turns, projection: Projection) =>
  Effect.suspend(() => {
    turns.behind.add(projection)
    if (projection.isFirst !== true) return awaitFront(turns)
    turns.first.add(projection)
    return Effect.void
  })

export const leaveTurns = (turns: Turns, projection: Projection) => {
  if (turns.behind.delete(projection) && turns.behind.size === 0) turns.onNoneBehind()
  leaveFront(turns, projection)
}

const leaveFront = ({ changed, first }: Turns, projection: Projection) => {
  if (first.delete(projection)) changed.notifyAll()
}

/** Runs what builds a projection in front of the others. */
export const inFront = <A, E, R>(turns: Turns, projection: Projection, run: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    turns.first.add(projection)
    return Effect.ensuring(run, Effect.sync(() => leaveFront(turns, projection)))
  })
