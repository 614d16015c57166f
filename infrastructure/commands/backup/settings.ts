import { failed } from "./errors.ts"
import { Config, Effect, Struct } from "effect"
import { settings } from "../../platform/settings/settings.ts"

/** The settings of data and keys; the other settings need not be valid. */
const config = Config.all(Struct.pick(settings, [
  "checkpointFile",
  "dataDir",
  "eventStoreUrl",
  "masterKey",
  "redisUrl",
  "signingKey",
  "subjectKeysFile"
]))
export type BackupSettings = Config.Success<typeof config>

/** Fails unless the log is in the data folder. */
export const backupSettings = Effect.gen(function* () {
  const found = yield* config
  if (found.eventStoreUrl === undefined) return found
  return yield* failed(
    "the log is on the server of EVENTSTORE_URL: use the backups of that server, see docs/backup.md"
  )
})
