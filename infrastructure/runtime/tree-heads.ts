import { Duration, Effect, Layer } from "effect"
import { createPublicKey } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type SigningOptions, signTreeHeads } from "../../application/log-proof/sign-tree-heads.ts"
import type { Feed } from "../../projections/engine/feed.ts"
import { layerTreeHeadFile } from "../notary/tree-head-file.ts"
import { layerHashing } from "../notary/hashing.ts"
import { layerNotary } from "../notary/notary.ts"
import { readPublicKeys, SigningKeyError } from "../notary/public-keys.ts"
import { publicKeyFile, signingKeyOfFolder, signingKeyOfSetting } from "../notary/signing-key.ts"
import type { Settings } from "../settings/settings.ts"

export type SigningSettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "signingKey">
export type CheckpointSettings =
  & SigningSettings
  & Pick<Settings, "checkpointEvents" | "checkpointFile" | "checkpointInterval">

/** Where checkpoints are written beside the log. */
export const checkpointFileOf = ({ checkpointFile, dataDir }: Pick<Settings, "checkpointFile" | "dataDir">): string =>
  checkpointFile ?? join(dataDir, "checkpoints.ndjson")

/** A folder has a key of its own; a log that several processes share cannot. */
const signingKey = ({ dataDir, eventStoreUrl, signingKey }: SigningSettings) => {
  if (signingKey !== undefined) return signingKeyOfSetting(signingKey)
  return eventStoreUrl === undefined ? signingKeyOfFolder(dataDir) : Effect.undefined
}

/** What signs checkpoints of the log along a feed. Does nothing, and says so, where there is no key to sign with. */
export const checkpointKeeper = Effect.fnUntraced(function* (settings: CheckpointSettings) {
  const key = yield* signingKey(settings)
  if (key === undefined) {
    yield* Effect.logWarning("The log is not signed: set SIGNING_KEY, the same for every process on that event store")
    return () => Effect.void
  }
  const notary = Layer.mergeAll(layerNotary(key), layerHashing, layerTreeHeadFile(checkpointFileOf(settings)))
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

/** The public keys that belong to the settings: of `SIGNING_KEY`, or those of the data folder. */
export const publicKeysOf = Effect.fnUntraced(function* ({ dataDir, signingKey }: SigningSettings) {
  if (signingKey !== undefined) return [createPublicKey(yield* signingKeyOfSetting(signingKey))]
  const file = publicKeyFile(dataDir)
  if (existsSync(file)) return yield* publicKeysIn(file)
  return yield* new SigningKeyError({
    message: `there is no ${file}: give the public key with --key FILE; `
      + "a service that signs makes it at its first start, or has SIGNING_KEY"
  })
})
