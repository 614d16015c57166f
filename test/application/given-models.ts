import { Layer } from "effect"
import { Readiness } from "../../projections/engine/readiness.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { layerTemporaryReadModels } from "../support/temporary-read-models.ts"

/** An empty log and empty read models, for queries of models that the test fills. */
export const layerEmptyModels = Readiness.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(
    layerEventStoreMemory,
    layerTemporaryReadModels
  )),
  Layer.fresh
)
