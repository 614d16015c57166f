import { Duration, Effect, Layer } from "effect"
import { createPublicKey } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { type SigningOptions, signTreeHeads } from "../../application/log-proof/sign-tree-heads.ts"
import { storeLog } from "../../application/log-proof/store-log.ts"
import type { Evidence } from "../../application/log-proof/verify-log/verify-log.ts"
import { ReadModels } from "../../ports/read-models.ts"
import type { Feed } from "../../projections/engine/feed.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { projections } from "../../projections/models/all.ts"
import {
  layerHashing,
  layerNotary,
  pemOf,
  publicKeyFile,
  readPublicKeys,
  SigningKeyError,
  signingKeyOfFolder,
  signingKeyOfSetting
} from "../adapters/notary/signing-keys.ts"
import { layerTreeHeadFile, openTreeHeadLines } from "../adapters/notary/tree-head-file.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { openRawLog } from "../adapters/stores/sqlite/events/raw-log.ts"
import { checkpointsFile, eventsFile, modelsFile, requireData } from "./data-folder.ts"
import { layerLogReadOnly, layerModelsReadOnly } from "./stores.ts"
import { LogSigning } from "../web/http/server/log-signing.ts"

export type SigningSettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "signingKey">
export type TreeHeadSettings =
  & SigningSettings
  & Pick<Settings, "checkpointEvents" | "checkpointFile" | "checkpointInterval">

/** The file of signed tree heads (`CHECKPOINT_FILE`). */
export const treeHeadFileOf = ({ checkpointFile, dataDir }: Pick<Settings, "checkpointFile" | "dataDir">): string =>
  checkpointFile ?? checkpointsFile(dataDir)

/** A data folder contains its own key. Processes that share a log must share the setting. */
const signingKey = ({ dataDir, eventStoreUrl, signingKey }: SigningSettings) => {
  if (signingKey !== undefined) return signingKeyOfSetting(signingKey)
  return eventStoreUrl === undefined ? signingKeyOfFolder(dataDir) : Effect.undefined
}

/** Whether a service with these settings signs the log. A data folder gets its key at the first start. */
export const canSign = ({ eventStoreUrl, signingKey }: Pick<Settings, "eventStoreUrl" | "signingKey">): boolean =>
  signingKey !== undefined || eventStoreUrl === undefined

/** What is said about a log without tree heads that nothing can sign. */
export const NEVER_SIGNED =
  "the log has no signed tree head, and SIGNING_KEY is not set: nothing will ever be signed or proven. "
  + "Set SIGNING_KEY, the same for every process on that event store, and start the processes with the role projector again"

/** Signs tree heads of the log along the feed. Without a key it logs a warning and does nothing. */
export const treeHeadSigner = Effect.fnUntraced(function* (settings: TreeHeadSettings) {
  const key = yield* signingKey(settings)
  if (key === undefined) {
    yield* Effect.logWarning("The log is not signed: set SIGNING_KEY, the same for every process on that event store")
    return () => Effect.void
  }
  const notary = Layer.mergeAll(layerNotary(key), layerHashing, layerTreeHeadFile(treeHeadFileOf(settings)))
  const options: SigningOptions = {
    events: settings.checkpointEvents,
    intervalMillis: Duration.toMillis(settings.checkpointInterval)
  }
  return (feed: Feed) => Effect.provide(signTreeHeads(feed, options), notary)
})

/** The public keys in a file. */
export const publicKeysIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (cause) => new SigningKeyError({ message: `${file} cannot be read: ${String(cause)}` })
  })
  return yield* readPublicKeys(text, file)
})

/** The public keys of the settings: the key of `SIGNING_KEY`, or the keys in the data folder. */
export const publicKeysOf = Effect.fnUntraced(function* ({ dataDir, signingKey }: SigningSettings) {
  if (signingKey !== undefined) return [createPublicKey(yield* signingKeyOfSetting(signingKey))]
  const file = publicKeyFile(dataDir)
  if (existsSync(file)) return yield* publicKeysIn(file)
  return yield* new SigningKeyError({
    message: `${file} does not exist: name the public key with --key FILE, or set SIGNING_KEY; `
      + "a service that signs creates the file at its first start"
  })
})

/** Opens the named file of tree heads, or the file of the settings, which may be missing. */
const openFile = (settings: Settings, named: string | undefined) => {
  const file = named ?? treeHeadFileOf(settings)
  return named === undefined && !existsSync(file)
    ? Effect.succeed({ file: undefined, lines: undefined })
    : Effect.map(openTreeHeadLines(file), (lines) => ({ file, lines }))
}

/** The positions of the read models in the log. Read models that are missing or unreadable are skipped. */
const modelPositions = (settings: Settings): Effect.Effect<Evidence["seen"]> => {
  if (settings.redisUrl === undefined && !existsSync(modelsFile(settings.dataDir))) return Effect.succeed([])
  return Effect.gen(function* () {
    const models = yield* ReadModels
    return yield* Effect.forEach(
      projections.map(modelName),
      (model) => Effect.map(models.checkpoint(model), (position) => ({ by: `the read model ${model}`, position }))
    )
  }).pipe(
    Effect.provide(layerModelsReadOnly(settings)),
    Effect.catchTag("ReadModelsError", () => Effect.succeed([]))
  )
}

/** Opens the log of the settings until the scope closes. */
const openLog = Effect.fnUntraced(function* (settings: Settings) {
  if (settings.eventStoreUrl === undefined) return yield* openRawLog(eventsFile(settings.dataDir))
  return yield* Effect.provide(storeLog, yield* Layer.build(layerLogReadOnly(settings)))
})

/**
 * Opens the log of the settings with the evidence for its verification, also while services run. The log grows, so the
 * evidence is read first: everything in it must be in the log.
 */
export const openEvidence = Effect.fnUntraced(function* (settings: Settings, namedFile: string | undefined) {
  if (settings.eventStoreUrl === undefined) yield* requireData(settings.dataDir)
  const { file, lines } = yield* openFile(settings, namedFile)
  const seen = yield* modelPositions(settings)
  return { source: yield* openLog(settings), evidence: { lines, seen } satisfies Evidence, file }
})

/** The public keys of the settings, for auditors. Read at each request, because a start may add a key. */
export const layerLogSigning = (settings: SigningSettings & Pick<Settings, "checkpointInterval">) =>
  Layer.succeed(
    LogSigning,
    LogSigning.of({
      publicKeys: publicKeysOf(settings).pipe(
        Effect.map((keys) => keys.map(pemOf).join("")),
        Effect.catchTag("SigningKeyError", () => Effect.undefined)
      ),
      neverSigned: canSign(settings) ? undefined : NEVER_SIGNED,
      intervalMillis: Duration.toMillis(settings.checkpointInterval)
    })
  )
