import { Effect } from "effect"
import { modelName } from "./model-name.ts"
import { formatPosition, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"

/**
 * How far the read models of projections are and where the log ends, whichever process projects. `lag` is the distance of
 * the two in commit positions: with the embedded store events, with EventStoreDB bytes of its log. A model that
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
