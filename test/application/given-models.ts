import { Layer } from "effect"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { layerTemporaryReadModels } from "../support/temporary-read-models.ts"

/** An empty log and empty read models, for queries of models that the test fills. */
export const layerEmptyModels = Layer.mergeAll(layerEventStoreMemory, layerTemporaryReadModels).pipe(Layer.fresh)
