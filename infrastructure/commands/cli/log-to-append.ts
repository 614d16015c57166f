import { Effect, Layer } from "effect"
import { layerIdentifiers } from "../../adapters/keys/identifiers.ts"
import { DataFolderError, holdDataFolder, requireData } from "../../runtime/data-folder.ts"
import { fileInFolder, layerLog } from "../../runtime/stores.ts"
import { readSettings } from "../../platform/settings/settings.ts"

/** The log of the settings for appending, without read models and keys. */
export const layerLogToAppend = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  const file = fileInFolder(settings)
  if (file === undefined) return Layer.merge(layerLog(settings), layerIdentifiers)
  yield* requireData(settings.dataDir, file)
  return Layer.merge(layerLog(settings), layerIdentifiers).pipe(
    Layer.provideMerge(Layer.effectDiscard(holdDataFolder(settings.dataDir)))
  )
}))

/** The command may read the folder and not write it: a service has it open, or it is read-only. */
export const isReadOnly = (error: unknown): error is DataFolderError =>
  error instanceof DataFolderError && error.reason !== "missing"

/**
 * Why the log of the data folder does not record what a command does. `what` is such as "this export", and `route` the same
 * operation of the admin API, which records it.
 */
export const unrecorded = (what: string, route: string, { message, reason }: DataFolderError): string =>
  reason === "in-use"
    ? `${what} is not recorded in the log, which a running SlipTrail has open; its admin API records it: ${route}`
    : `${what} is not recorded in the log: ${message}`
