import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { firstSealed } from "../../application/sealing/own-key.ts"
import type { Settings } from "../settings/settings.ts"
import { MasterKeyError, masterKeyOfFolder, masterKeyOfSetting } from "../keys/master-key.ts"
import { openSubjectKeys } from "../keys/subject-keys.ts"
import { isUnderSubjectKey, layerVault } from "../keys/vault.ts"

export type KeySettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "masterKey" | "subjectKeysFile">

/** The master key of the settings. A folder has one of its own; a log that several processes share cannot. */
export const masterKey = ({ dataDir, eventStoreUrl, masterKey }: KeySettings, create: boolean) => {
  if (masterKey !== undefined) return masterKeyOfSetting(masterKey)
  if (eventStoreUrl === undefined) return masterKeyOfFolder(dataDir, { create })
  return Effect.fail(
    new MasterKeyError({
      message: "MASTER_KEY is needed with EVENTSTORE_URL, the same for every process on that server; "
        + "make one with: openssl rand -base64 32"
    })
  )
}

/**
 * The file with a key for each slip. A folder has one of its own; processes that share a log have one where the setting
 * says that all of them can reach it, or none, and then nothing can be forgotten.
 */
export const subjectKeysFile = ({ dataDir, eventStoreUrl, subjectKeysFile }: KeySettings): string | undefined =>
  subjectKeysFile ?? (eventStoreUrl === undefined ? join(dataDir, "subjects.key") : undefined)

/** The vault under such keys of the settings as are there, for who looks into what may be broken. */
export const layerKeysReadOnly = (settings: KeySettings) =>
  Layer.unwrap(Effect.gen(function* () {
    const master = yield* masterKey(settings, false)
    const file = subjectKeysFile(settings)
    // A folder from before there were such keys has none until a service has run on it.
    if (file === undefined || !existsSync(file)) return layerVault(master)
    return layerVault(master, yield* openSubjectKeys(file, master, { create: false }))
  }))

/**
 * The vault under the keys that the log asks for. With `create` those that are not there yet are made, never in place of
 * lost ones: new ones would open nothing of the log, and hide that they were lost.
 */
export const layerKeys = (settings: KeySettings, { create }: { readonly create: boolean }) =>
  Layer.unwrap(Effect.gen(function* () {
    const sealed = yield* firstSealed
    const master = yield* masterKey(settings, create && sealed.length === 0)
    const file = subjectKeysFile(settings)
    const areAskedFor = sealed.some(isUnderSubjectKey)
    if (file === undefined || (!create && !areAskedFor && !existsSync(file))) return layerVault(master)
    return layerVault(master, yield* openSubjectKeys(file, master, { create: create && !areAskedFor }))
  }))
