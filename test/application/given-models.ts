import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Readiness } from "../../projections/engine/readiness.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/stores/sqlite/read-models/read-models.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** An empty log and empty read models, for queries whose models the test fills itself. */
export const layerEmptyModels = Readiness.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(
    layerEventStoreMemory,
    Layer.unwrap(Effect.map(temporaryFolder, (folder) => layerReadModelsEmbedded({ file: join(folder, "models.db") })))
  )),
  Layer.fresh
)
