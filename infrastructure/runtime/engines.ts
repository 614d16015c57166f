import { Effect, Layer } from "effect"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { Callers } from "../../application/provisioning/callers.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { isOwnKey } from "../../application/sealing/own-key.ts"
import { Readiness } from "../../projections/engine/readiness.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { layerIdentifiers } from "../keys/identifiers.ts"
import { MasterKeyError } from "../keys/master-key.ts"
import { checkpointKeeper, type CheckpointSettings } from "./tree-heads.ts"
import { holdDataFolder } from "./data-folder.ts"
import { type KeySettings, layerKeys } from "./keys.ts"
import { fileInFolder, layerStores, layerStoresReadOnly, type RateSettings, type StoreSettings } from "./stores.ts"

export type EngineSettings = StoreSettings & KeySettings

const queries = Layer.mergeAll(Callers.layer, Directory.layer, BankAccounts.layer).pipe(
  Layer.provideMerge(Readiness.layer)
)

/** Nothing may be written, or told, under a key that is not the log's: a slip that it knows would look new. */
const underOwnKey = Layer.effectDiscard(Effect.flatMap(isOwnKey, (isOwn) =>
  isOwn === false
    ? Effect.fail(
      new MasterKeyError({
        message: "the keys do not open what the log has sealed, they are others: "
          + "put back the MASTER_KEY, or the master.key and the subjects.key of the data folder, that belong to this log"
      })
    )
    : Effect.void))

/** Held before anything is opened, let go after everything is closed. */
const holdFolder = (settings: StoreSettings) =>
  Layer.effectDiscard(fileInFolder(settings) === undefined ? Effect.void : holdDataFolder(settings.dataDir))

/** The projector, and on the same way along the log what signs it. */
const signingProjector = (settings: CheckpointSettings) =>
  Layer.unwrap(Effect.map(checkpointKeeper(settings), (keeper) => layerProjector(projections, keeper)))

export interface EngineOptions {
  /** This process keeps the read models up to date, or stands by while another one does. */
  readonly project?: boolean
  /** It signs checkpoints of the log on the way. */
  readonly sign?: CheckpointSettings
}

/**
 * The engines of the settings: everything that commands and queries need, save the world outside. Embedded ones take
 * the data folder for themselves.
 */
export const layerEngines = (settings: EngineSettings & RateSettings, { project = true, sign }: EngineOptions = {}) =>
  Layer.mergeAll(
    queries,
    project ? (sign === undefined ? layerProjector(projections) : signingProjector(sign)) : Layer.empty
  ).pipe(
    Layer.provideMerge(underOwnKey),
    Layer.provideMerge(layerKeys(settings, { create: true })),
    Layer.provideMerge(Layer.mergeAll(layerStores(settings), layerIdentifiers)),
    Layer.provideMerge(holdFolder(settings))
  )

/** What queries need, for looking only, also beside running services. */
export const layerReading = (settings: EngineSettings) =>
  Directory.layer.pipe(
    Layer.provideMerge(Readiness.layer),
    Layer.provideMerge(underOwnKey),
    Layer.provideMerge(layerKeys(settings, { create: false })),
    Layer.provideMerge(layerStoresReadOnly(settings))
  )
