import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { BindingMarker } from "../../application/sealed-values/binding-marker.ts"
import { firstSealed } from "../../application/sealed-values/own-key.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { MasterKeyError, masterKeyOfFolder, masterKeyOfSetting } from "../adapters/keys/master-key.ts"
import { openSubjectKeys, SubjectKeysError } from "../adapters/keys/subject-keys.ts"
import { isUnderSubjectKey, layerVault } from "../adapters/keys/vault.ts"

export type KeySettings = Pick<Settings, "dataDir" | "eventStoreUrl" | "masterKey" | "subjectKeysFile">

/** The master key of the settings. A data folder contains its own key; processes that share a log share the setting. */
export const masterKey = ({ dataDir, eventStoreUrl, masterKey }: KeySettings, create: boolean) => {
  if (masterKey !== undefined) return masterKeyOfSetting(masterKey)
  if (eventStoreUrl === undefined) return masterKeyOfFolder(dataDir, { create })
  return Effect.fail(
    new MasterKeyError({
      message: "MASTER_KEY is required with EVENTSTORE_URL, with the same value for every process on that server. "
        + "Create a key with: openssl rand -base64 32"
    })
  )
}

/**
 * The file of the subject keys. A data folder contains its own file. Processes that share a log share the file of the
 * setting; without the setting there are no subject keys and no data can be erased.
 */
export const subjectKeysFile = ({ dataDir, eventStoreUrl, subjectKeysFile }: KeySettings): string | undefined =>
  subjectKeysFile ?? (eventStoreUrl === undefined ? join(dataDir, "subjects.key") : undefined)

/** The vault with the existing keys of the settings, read-only: for backups and for the doctor. */
export const layerKeysReadOnly = (settings: KeySettings) =>
  Layer.unwrap(Effect.gen(function* () {
    const { unbound } = yield* BindingMarker
    const master = yield* masterKey(settings, false)
    const file = subjectKeysFile(settings)
    // A data folder of an older version has no subject keys until the service starts.
    if (file === undefined || !existsSync(file)) return layerVault(master, undefined, unbound)
    return layerVault(master, yield* openSubjectKeys(file, master, { create: false }), unbound)
  })).pipe(Layer.provide(BindingMarker.layer))

const NO_SUBJECT_KEYS =
  "SUBJECT_KEYS_FILE is not set, and the log has data under the keys of such a file: set it to the "
  + "file that the other processes of this log use"

/**
 * The vault with the keys of the log. With `create`, missing keys are created, but never in place of lost ones: new keys
 * could not open the log, and would hide the loss.
 */
export const layerKeys = (settings: KeySettings, { create }: { readonly create: boolean }) =>
  Layer.unwrap(Effect.gen(function* () {
    const { unbound } = yield* BindingMarker
    const sealed = yield* firstSealed
    const master = yield* masterKey(settings, create && sealed.length === 0)
    const file = subjectKeysFile(settings)
    const areRequired = sealed.some(isUnderSubjectKey)
    if (file === undefined && areRequired) return yield* new SubjectKeysError({ message: NO_SUBJECT_KEYS })
    if (file === undefined || (!create && !areRequired && !existsSync(file))) {
      return layerVault(master, undefined, unbound)
    }
    return layerVault(master, yield* openSubjectKeys(file, master, { create: create && !areRequired }), unbound)
  }))
