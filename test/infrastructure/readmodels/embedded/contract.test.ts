import { Effect, Layer } from "effect"
import { join } from "node:path"
import { layerQuotaEmbedded } from "../../../../infrastructure/readmodels/embedded/quota.ts"
import { layerReadModelsEmbedded } from "../../../../infrastructure/readmodels/embedded/read-models.ts"
import { quotaContract } from "../../../contracts/quota.ts"
import { readModelsContract } from "../../../contracts/read-models.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

/** In a folder that is not there yet. */
const layerInNewFolder = () =>
  Layer.unwrap(
    Effect.map(temporaryFolder, (folder) => layerReadModelsEmbedded({ file: join(folder, "data", "models.db") }))
  )

readModelsContract("the embedded engine", layerInNewFolder)
quotaContract("the embedded engine", { engine: layerInNewFolder, quota: layerQuotaEmbedded })
