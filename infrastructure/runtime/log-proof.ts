import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { modelName } from "../../projections/engine/model-name.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { storeLog } from "../../application/log-proof/store-log.ts"
import type { Evidence } from "../../application/log-proof/verify-log/verify-log.ts"
import { projections } from "../../projections/models/all.ts"
import { openRawLog } from "../stores/sqlite/events/raw-log.ts"
import { openTreeHeadLines } from "../notary/tree-head-lines.ts"
import type { Settings } from "../settings/settings.ts"
import { checkpointFileOf } from "./tree-heads.ts"
import { eventsFile, modelsFile, requireData } from "./data-folder.ts"
import { layerLogReadOnly, layerModelsReadOnly } from "./stores.ts"

/** The file of checkpoints of the settings, or the one that was named; only that one must be there. */
const openFile = (settings: Settings, named: string | undefined) => {
  const file = named ?? checkpointFileOf(settings)
  return named === undefined && !existsSync(file)
    ? Effect.succeed({ file: undefined, lines: undefined })
    : Effect.map(openTreeHeadLines(file), (lines) => ({ file, lines }))
}

/** How far the read models have seen the log; those that are not there, or can't be read, have seen nothing. */
const seenByModels = (settings: Settings): Effect.Effect<Evidence["seen"]> => {
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

/** The log of the settings as it stands, open for as long as the scope. */
const openLog = Effect.fnUntraced(function* (settings: Settings) {
  if (settings.eventStoreUrl === undefined) return yield* openRawLog(eventsFile(settings.dataDir))
  return yield* Effect.provide(storeLog, yield* Layer.build(layerLogReadOnly(settings)))
})

/**
 * The log of the settings and everything else that knows of it, also beside running services. Opened in this order:
 * what was seen elsewhere of a log that grows must be in it.
 */
export const openEvidence = Effect.fnUntraced(function* (settings: Settings, namedFile: string | undefined) {
  if (settings.eventStoreUrl === undefined) yield* requireData(settings.dataDir)
  const { file, lines } = yield* openFile(settings, namedFile)
  const seen = yield* seenByModels(settings)
  return { source: yield* openLog(settings), evidence: { lines, seen } satisfies Evidence, file }
})
