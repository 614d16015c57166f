import { Effect, Layer } from "effect"
import { join } from "node:path"
import { makeModelWriter } from "../../infrastructure/adapters/stores/sqlite/read-models/model-writer.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/**
 * Empty read models of the embedded engine, in a folder that the scope removes. They never start the writer thread:
 * the test clock would not wait for a thread.
 */
export const layerTemporaryReadModels = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) =>
    layerReadModelsEmbedded({
      file: join(folder, "models.db"),
      writer: (file) => Effect.succeed(makeModelWriter(file, Infinity))
    }))
)
