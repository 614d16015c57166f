import { Effect } from "effect"
import { formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"

/**
 * - `live`: has what is in the log, or all but the last moments of it.
 * - `catching-up`: on its way there, or trying again after an error.
 * - `standby`: does not run in this process, but in another that holds the lease, and would take over from it.
 * - `failed`: stands still in this process until that starts again with a repaired projection.
 */
export const projectionStates = ["live", "catching-up", "standby", "failed"] as const
export type ProjectionState = typeof projectionStates[number]

export interface ProjectionStatus {
  readonly name: string
  /** The name space of the read model. */
  readonly model: string
  /** The read model holds everything up to here, from any process. */
  readonly checkpoint: Position
  /** Where the log ends. */
  readonly head: Position
  /** Distance of the two in commit positions: with the embedded store events, with EventStoreDB bytes of its log. */
  readonly lag: number
  readonly state: ProjectionState
  /** Why it failed, or what it is trying again after. */
  readonly error?: string
}

/**
 * The checkpoints of read models and the end of the log, for the projectors of all processes. `lag` is their distance in
 * commit positions: events of the embedded store, bytes of the log of EventStoreDB. A model that
 * `isAhead` belongs to another log.
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
  // Looked at last: beside a running service a model must not seem to be ahead.
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
