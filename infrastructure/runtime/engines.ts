import { Duration, Effect, Layer } from "effect"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { Callers } from "../../application/provisioning/callers.ts"
import { layerKeyUses } from "../../application/provisioning/key-uses.ts"
import type { RequestIds } from "../../application/events/handle-command.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { BindingMarker } from "../../application/sealed-values/binding-marker.ts"
import { isOwnKey } from "../../application/sealed-values/own-key.ts"
import { layerRequireLog } from "../../projections/engine/readiness.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { layerIdentifiers } from "../adapters/keys/identifiers.ts"
import { MasterKeyError } from "../adapters/keys/master-key.ts"
import { type TreeHeadSettings, treeHeadSigner } from "./log-proof.ts"
import { closeToOthers, holdDataFolder, refuseLostLog } from "./data-folder.ts"
import { layerInstance } from "./instance.ts"
import { layerOwnModels } from "./model-integrity.ts"
import { type KeySettings, layerKeys } from "./keys.ts"
import { fileInFolder, layerStores, layerStoresReadOnly, type RateSettings, type StoreSettings } from "./stores.ts"

export type EngineSettings = StoreSettings & KeySettings

/** How long jobs, callbacks and attempts stay in the read models. */
export interface RetentionSettings {
  readonly jobRetention: Duration.Duration
}

const queries = Layer.mergeAll(Callers.layer.pipe(Layer.provide(layerKeyUses)), Directory.layer, BankAccounts.layer)
  .pipe(
    Layer.provideMerge(layerRequireLog(projections))
  )

/** Refuses to start with keys that do not belong to the log: with other keys a known slip would look new. */
const underOwnKey = Layer.effectDiscard(Effect.flatMap(isOwnKey, (isOwn) =>
  isOwn === false
    ? Effect.fail(
      new MasterKeyError({
        message: "the keys do not open the encrypted values of the log: "
          + "restore the MASTER_KEY, or the master.key and the subjects.key of the data folder, that belong to this log"
      })
    )
    : Effect.void))

/** The actor of the marker. */
const upgrade: RequestIds = { actor: { kind: "system", id: "upgrade" }, correlationId: "upgrade" }

/**
 * Sets the marker in a log from before values were bound to records. An embedded log belongs to this process alone. Other
 * processes of a shared log may be of an earlier version, and their values would not open: there an operator sets it.
 */
const bindValues = ({ eventStoreUrl }: StoreSettings, isService: boolean) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const { isSet, set } = yield* BindingMarker
    if (yield* isSet) return
    if (eventStoreUrl === undefined) return yield* set(upgrade)
    if (isService) yield* Effect.logWarning(NOT_BOUND)
  }))

const NOT_BOUND =
  "The log may have sealed values that open in other records too. When no process of an earlier version "
  + "runs on this log, run: sliptrail reseal"

/** Locks the data folder before the stores open, until they are closed. Refuses a folder that has lost its log. */
const holdFolder = (settings: StoreSettings) => {
  const { dataDir, eventStoreUrl } = settings
  if (fileInFolder(settings) === undefined) return Layer.empty
  const check = eventStoreUrl === undefined ? refuseLostLog(dataDir) : Effect.void
  return Layer.effectDiscard(Effect.andThen(holdDataFolder(dataDir), check))
}

/** Closes the data folder to other users, once the stores have created their files. */
const closeFolder = (settings: StoreSettings) =>
  Layer.effectDiscard(fileInFolder(settings) === undefined ? Effect.void : closeToOthers(settings.dataDir))

/** The projector, which also signs tree heads of the log. */
const signingProjector = (settings: TreeHeadSettings, retentionMillis: number) =>
  Layer.unwrap(Effect.map(
    treeHeadSigner(settings),
    (follower) => layerProjector(projections, { follower, retentionMillis })
  ))

const projector = ({ jobRetention }: RetentionSettings, sign: TreeHeadSettings | undefined) => {
  const retentionMillis = Duration.toMillis(jobRetention)
  return sign === undefined ? layerProjector(projections, { retentionMillis }) : signingProjector(sign, retentionMillis)
}

export interface EngineOptions {
  /** Whether this process runs the projector, or stands by while another process runs it. */
  readonly project?: boolean
  /** Whether the projector signs tree heads of the log. */
  readonly sign?: TreeHeadSettings
}

/**
 * Everything that commands and queries need, without external services. With embedded stores this locks the data folder.
 */
export const layerEngines = (
  settings: EngineSettings & RateSettings & RetentionSettings,
  { project = true, sign }: EngineOptions = {}
) =>
  Layer.mergeAll(
    queries,
    project ? projector(settings, sign) : Layer.empty
  ).pipe(
    Layer.provideMerge(bindValues(settings, sign !== undefined)),
    Layer.provideMerge(Layer.merge(underOwnKey, closeFolder(settings))),
    Layer.provideMerge(sign === undefined ? Layer.empty : layerOwnModels(settings)),
    Layer.provideMerge(layerKeys(settings, { create: true })),
    Layer.provideMerge(BindingMarker.layer),
    Layer.provideMerge(Layer.mergeAll(layerStores(settings), layerIdentifiers)),
    Layer.provideMerge(holdFolder(settings)),
    // Commands have no identity: they run beside a service.
    Layer.provideMerge(sign === undefined ? Layer.empty : layerInstance(settings))
  )

/** What queries need, read-only. Works while services run. */
export const layerReading = (settings: EngineSettings) =>
  Layer.mergeAll(Directory.layer, BankAccounts.layer, layerIdentifiers).pipe(
    Layer.provideMerge(layerRequireLog(projections)),
    Layer.provideMerge(underOwnKey),
    Layer.provideMerge(layerKeys(settings, { create: false })),
    Layer.provideMerge(BindingMarker.layer),
    Layer.provideMerge(layerStoresReadOnly(settings))
  )
