import { Effect } from "effect"
import { type Condition, makeCondition } from "./condition.ts"
import type { Projection } from "./projection.ts"

/** The order in which the models of a process are built: those that requests wait for come first. */
export interface Turns {
  readonly changed: Condition
  /** Projections that requests wait for, and that are being built. */
  readonly first: Set<Projection>
}

export const makeTurns = (): Turns => ({ changed: makeCondition(), first: new Set() })

/** Waits until no projection that requests wait for is being built. */
export const awaitFront = ({ changed, first }: Turns) => changed.await(() => first.size === 0)

/** Puts a projection that requests wait for in front of the others, until `leaveFront`. Every other one waits. */
export const takeTurn = (turns: Turns, projection: Projection) =>
  projection.isFirst === true ? Effect.sync(() => void turns.first.add(projection)) : awaitFront(turns)

export const leaveFront = (turns: Turns, projection: Projection) => {
  if (turns.first.delete(projection)) turns.changed.notifyAll()
}

/** Runs what builds a projection in front of the others. */
export const inFront = <A, E, R>(turns: Turns, projection: Projection, run: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    turns.first.add(projection)
    return Effect.ensuring(run, Effect.sync(() => leaveFront(turns, projection)))
  })
