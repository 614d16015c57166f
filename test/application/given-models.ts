import { Layer } from "effect"
import { Readiness } from "../../projections/engine/readiness.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { layerTemporaryReadModels } from "../support/temporary-read-models.ts"

/** An empty log and empty read models, for queries whose models the test fills itself. */
export const layerEmptyModels = Readiness.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(
    layerEventStoreMemory,
    layerTemporaryReadModels
  )),
  Layer.fresh
)
