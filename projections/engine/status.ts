import { Effect } from "effect"
import { formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"

/**
 * - `live`: has applied the log, except perhaps its last moments.
 * - `catching-up`: applies older events, or retries after an error.
 * - `standby`: waits for the lease, which another process holds. Does not run in this process.
 * - `failed`: stopped in this process, until the process restarts with a repaired projection.
 */
export const projectionStates = ["live", "catching-up", "standby", "failed"] as const
export type ProjectionState = typeof projectionStates[number]

export interface ProjectionStatus {
  readonly name: string
  /** The name space of the read model. */
  readonly model: string
  /** The read model has the events up to here, applied by any process. */
  readonly checkpoint: Position
  /** The end of the log. */
  readonly head: Position
  /** Distance of the two in commit positions: events of the embedded store, bytes of EventStoreDB's log. */
  readonly lag: number
  readonly state: ProjectionState
  /** Why it failed, or the error after which it retries. */
  readonly error?: string
}

/**
 * The checkpoints of read models and the end of the log, for the projectors of all processes. `lag` is their distance
 * in commit positions: events of the embedded store, bytes of the log of EventStoreDB. A model that `isAhead` belongs
 * to another log.
 */
export const positionsOf = Effect.fnUntraced(function* (projections: ReadonlyArray<Projection>) {
  const models = yield* ReadModels
  const found = yield* Effect.forEach(
    projections,
    Effect.fnUntraced(function* (projection) {
      const model = modelName(projection)
      return { name: projection.name, model, checkpoint: yield* models.checkpoint(model) }
    })
  )
  // The head is read last: a model of a running service must not seem to be ahead of the log.
  const head = yield* (yield* EventStore).head
  return found.map(({ checkpoint, model, name }) => ({
    name,
    model,
    checkpoint: formatPosition(checkpoint),
    head: formatPosition(head),
    lag: Number(head.commit - checkpoint.commit),
    isAhead: isBefore(head, checkpoint)
  }))
})
