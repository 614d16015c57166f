import { Effect, Layer } from "effect"
import { modelName } from "../../application/models/model-name.ts"
import { quotaModel, quotaSets } from "../../application/models/quota.ts"
import { Callers } from "../../application/queries/callers.ts"
import { Directory } from "../../application/queries/directory.ts"
import { Readiness } from "../../application/readiness.ts"
import { branchesProjection } from "../../projections/branches.ts"
import { duplicatesProjection } from "../../projections/duplicates.ts"
import { layerProjector } from "../../projections/projector.ts"
import { quotaProjection } from "../../projections/quota.ts"
import { layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly } from "../eventstore/embedded/layer.ts"
import { layerQuotaEmbedded } from "../readmodels/embedded/quota.ts"
import { layerReadModelsEmbedded, layerReadModelsEmbeddedReadOnly } from "../readmodels/embedded/read-models.ts"
import type { Settings } from "../settings.ts"
import { layerIdentifiers } from "../vault/identifiers.ts"
import { masterKeyOfFolder, masterKeyOfSetting } from "../vault/master-key.ts"
import { layerVault } from "../vault/vault.ts"
import { eventsFile, holdDataFolder, modelsFile } from "./data-folder.ts"

type EngineSettings = Pick<Settings, "dataDir" | "masterKey">

/** Every read model that is kept. */
export const projections = [branchesProjection, quotaProjection, duplicatesProjection]

const vault = (settings: EngineSettings, create: boolean) =>
  Layer.unwrap(Effect.map(
    settings.masterKey === undefined
      ? masterKeyOfFolder(settings.dataDir, { create })
      : masterKeyOfSetting(settings.masterKey),
    layerVault
  ))

const queries = Layer.mergeAll(Callers.layer, Directory.layer).pipe(Layer.provideMerge(Readiness.layer))

/**
 * The embedded engines in the data folder, held for writing, with the projector that keeps the read models up to date:
 * everything that commands and queries need, save the world outside.
 */
export const layerEngines = (settings: EngineSettings) => {
  const { dataDir } = settings
  const quota = layerQuotaEmbedded({
    model: modelName(quotaModel),
    monthSet: quotaSets.month,
    monthsSet: quotaSets.months
  })
  return Layer.mergeAll(queries, quota, layerProjector(projections)).pipe(
    Layer.provideMerge(Layer.mergeAll(
      layerEventStoreEmbedded({ file: eventsFile(dataDir) }),
      layerReadModelsEmbedded({ file: modelsFile(dataDir) }),
      vault(settings, true),
      layerIdentifiers
    )),
    // Held before anything is opened, let go after everything is closed.
    Layer.provideMerge(Layer.effectDiscard(holdDataFolder(dataDir)))
  )
}

/** Log and read models of the data folder as they are, for looking only, also while a service has it open. */
export const layerStoresReadOnly = ({ dataDir }: Pick<EngineSettings, "dataDir">) =>
  Layer.mergeAll(
    layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) }),
    layerReadModelsEmbeddedReadOnly({ file: modelsFile(dataDir) })
  )

/** The same with everything that queries need. */
export const layerReading = (settings: EngineSettings) =>
  Directory.layer.pipe(
    Layer.provideMerge(Readiness.layer),
    Layer.provideMerge(Layer.mergeAll(layerStoresReadOnly(settings), vault(settings, false)))
  )
