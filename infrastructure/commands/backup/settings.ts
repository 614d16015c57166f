import { failed } from "./errors.ts"
import { Config, Effect } from "effect"
import { type Settings, settings } from "../../platform/settings/settings.ts"

/** The settings of data and keys; the other settings need not be valid. */
export type BackupSettings = Pick<
  Settings,
  "checkpointFile" | "dataDir" | "eventStoreUrl" | "masterKey" | "redisUrl" | "signingKey" | "subjectKeysFile"
>

const config: Config.Config<BackupSettings> = Config.all({
  checkpointFile: settings.checkpointFile,
  dataDir: settings.dataDir,
  eventStoreUrl: settings.eventStoreUrl,
  masterKey: settings.masterKey,
  redisUrl: settings.redisUrl,
  signingKey: settings.signingKey,
  subjectKeysFile: settings.subjectKeysFile
})

/** Fails unless the log is in the data folder. */
export const backupSettings = Effect.gen(function* () {
  const found = yield* config
  if (found.eventStoreUrl === undefined) return found
  return yield* failed(
    "the log is on the server of EVENTSTORE_URL: use the backups of that server, see docs/backup.md"
  )
})
