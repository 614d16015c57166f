import { modelName } from "../../projections/engine/model-name.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import { handlesStream } from "../../projections/engine/projection.ts"

/** Events per batch, as in the projector. */
export const BATCH = 100

export interface ModelBatch {
  readonly model: string
  /** Index of the batch; 0 for the first of a model. */
  readonly position: number
  readonly writes: ReadonlyArray<Write>
}

/** The writes of all projections, batch by batch. */
export const stepsOf = (recorded: ReadonlyArray<RecordedEvent>): ReadonlyArray<ModelBatch> =>
  projections.flatMap((projection) =>
    Array.from({ length: Math.ceil(recorded.length / BATCH) }, (_, index) => {
      const batch = recorded.slice(index * BATCH, (index + 1) * BATCH)
      return {
        model: modelName(projection),
        position: index,
        writes: batch.filter(({ stream }) => handlesStream(projection, stream)).flatMap(projection.when)
      }
    })
  )
