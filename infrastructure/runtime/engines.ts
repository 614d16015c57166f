import { Effect, Layer } from "effect"
import { BankAccounts } from "../../application/queries/bank-accounts.ts"
import { Callers } from "../../application/queries/callers.ts"
import { Directory } from "../../application/queries/directory.ts"
import { isOwnKey } from "../../application/queries/own-key.ts"
import { Readiness } from "../../application/readiness.ts"
import { bankAccountsProjection } from "../../projections/bank-accounts.ts"
import { branchesProjection } from "../../projections/branches.ts"
import { callbacksProjection } from "../../projections/callbacks.ts"
import { duplicatesProjection } from "../../projections/duplicates.ts"
import { jobsProjection } from "../../projections/jobs.ts"
import { layerProjector } from "../../projections/projector.ts"
import { quotaProjection } from "../../projections/quota.ts"
import type { Settings } from "../settings.ts"
import { layerIdentifiers } from "../vault/identifiers.ts"
import { MasterKeyError, masterKeyOfFolder, masterKeyOfSetting } from "../vault/master-key.ts"
import { layerVault } from "../vault/vault.ts"
import { holdDataFolder } from "./data-folder.ts"
import { fileInFolder, layerStores, layerStoresReadOnly, type RateSettings, type StoreSettings } from "./stores.ts"

export type EngineSettings = StoreSettings & Pick<Settings, "masterKey">

/** Every read model that is kept. */
export const projections = [
  branchesProjection,
  quotaProjection,
  duplicatesProjection,
  jobsProjection,
  callbacksProjection,
  bankAccountsProjection
]

/** The master key of the settings. A folder has one of its own; a log that several processes share cannot. */
export const masterKey = ({ dataDir, eventStoreUrl, masterKey }: EngineSettings, create: boolean) => {
  if (masterKey !== undefined) return masterKeyOfSetting(masterKey)
  if (eventStoreUrl === undefined) return masterKeyOfFolder(dataDir, { create })
  return Effect.fail(
    new MasterKeyError({
      message: "MASTER_KEY is needed with EVENTSTORE_URL, the same for every process on that server; " +
        "make one with: openssl rand -base64 32"
    })
  )
}

const vault = (settings: EngineSettings, create: boolean) =>
  Layer.unwrap(Effect.map(masterKey(settings, create), layerVault))

const queries = Layer.mergeAll(Callers.layer, Directory.layer, BankAccounts.layer).pipe(
  Layer.provideMerge(Readiness.layer)
)

/** Nothing may be written, or told, under a key that is not the log's: a slip that it knows would look new. */
const underOwnKey = Layer.effectDiscard(Effect.flatMap(isOwnKey, (isOwn) =>
  isOwn === false
    ? Effect.fail(
      new MasterKeyError({
        message: "the master key does not open what the log has sealed, it is another one: " +
          "put back the MASTER_KEY, or the master.key of the data folder, that belongs to this log"
      })
    )
    : Effect.void))

/** Held before anything is opened, let go after everything is closed. */
const holdFolder = (settings: StoreSettings) =>
  Layer.effectDiscard(fileInFolder(settings) === undefined ? Effect.void : holdDataFolder(settings.dataDir))

/**
 * The engines of the settings: everything that commands and queries need, save the world outside. Embedded ones take
 * the data folder for themselves. With `project`, this process keeps the read models up to date, or stands by while
 * another one does.
 */
export const layerEngines = (settings: EngineSettings & RateSettings, { project = true }: { readonly project?: boolean } = {}) =>
  Layer.mergeAll(queries, project ? layerProjector(projections) : Layer.empty).pipe(
    Layer.provideMerge(underOwnKey),
    Layer.provideMerge(Layer.mergeAll(layerStores(settings), vault(settings, true), layerIdentifiers)),
    Layer.provideMerge(holdFolder(settings))
  )

/** What queries need, for looking only, also beside running services. */
export const layerReading = (settings: EngineSettings) =>
  Directory.layer.pipe(
    Layer.provideMerge(Readiness.layer),
    Layer.provideMerge(Layer.mergeAll(layerStoresReadOnly(settings), vault(settings, false)))
  )
