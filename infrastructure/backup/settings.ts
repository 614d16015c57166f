import { Config, Effect } from "effect"
import { type Settings, settings } from "../settings/settings.ts"
import { cannotRun } from "../cli/exit.ts"

/** What of the settings says where data and keys are; the others need not be readable. */
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

/** The settings of an installation whose log is in its data folder. */
export const backupSettings = Effect.gen(function* () {
  const found = yield* config
  if (found.eventStoreUrl === undefined) return found
  return yield* cannotRun(
    "the log of these settings lies on the server of EVENTSTORE_URL, which has backups of its own: see docs/backup.md"
  )
})
