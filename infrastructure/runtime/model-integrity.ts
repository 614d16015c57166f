import { Data, Effect, Layer } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { compare } from "../../projections/engine/compare.ts"
import { describeDifferences, differencesOf, type ModelDifferences } from "../../projections/engine/model-difference.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { decidingProjections } from "../../projections/models/all.ts"
import type { CompareRequest } from "../adapters/stores/sqlite/read-models/compare-models-thread.ts"
import { compareAtStart, comparedAtStart } from "../adapters/stores/sqlite/read-models/compare-at-start.ts"
import { compareModels, MOST_DIFFERENCES } from "../adapters/stores/sqlite/read-models/compare-models.ts"
import { scopedThread } from "../platform/threads/ask-thread.ts"
import { eventsFile, modelsFile } from "./data-folder.ts"
import { layerStoresReadOnly, scratchFolder, scratchModels, type StoreSettings } from "./stores.ts"

/** The read models cannot be compared with the log now. */
export class NotCompared
  extends Data.TaggedError("NotCompared")<{ readonly message: string; readonly cause: unknown }> {}

const notCompared = (cause: unknown) =>
  new NotCompared({
    message: `the read models cannot be compared with the log: ${
      cause instanceof Error ? cause.message : String(cause)
    }`,
    cause
  })

/** Where log and read models are when both are files. */
const filesOf = ({ dataDir, eventStoreUrl, redisUrl }: StoreSettings) =>
  eventStoreUrl === undefined && redisUrl === undefined
    ? { log: eventsFile(dataDir), models: modelsFile(dataDir) }
    : undefined

/**
 * Compares every read model that decides something with the log, also while services run. The result has only the models
 * that differ. In files, memory does not grow with the log. Of a server, all of a model is in memory.
 */
export const differencesOfModels = Effect.fnUntraced(function* (settings: StoreSettings) {
  const files = filesOf(settings)
  // The service builds them when it starts.
  if (settings.redisUrl === undefined && !existsSync(modelsFile(settings.dataDir))) return []
  if (files === undefined) return yield* compareShared(settings)
  return yield* compareFiles({ ...files, names: decidingProjections.map(({ name }) => name) })
})

/** Compared in less time than a thread needs to start. */
const MOST_HERE = 4 * 2 ** 20

const compareFiles = Effect.fnUntraced(function* (request: Omit<CompareRequest, "scratch">) {
  const scratch = join(yield* scratchFolder, "fresh.db")
  if (statSync(request.log).size <= MOST_HERE) {
    return yield* Effect.try({
      try: () => compareModels({ ...request, scratch }, decidingProjections),
      catch: notCompared
    })
  }
  const { ask } = yield* scopedThread<CompareRequest, ReadonlyArray<ModelDifferences>, NotCompared>({
    script: new URL("../adapters/stores/sqlite/read-models/compare-models-thread.ts", import.meta.url),
    name: "compare-models",
    data: undefined
  }, notCompared)
  return yield* ask({ ...request, scratch })
}, Effect.scoped)

/** These models have no rows that expire. */
const NOTHING_EXPIRES = 0

const compareShared = (settings: StoreSettings) =>
  Effect.forEach(decidingProjections, (projection) =>
    Effect.gen(function* () {
      const dump = yield* (yield* ReadModels).dump(modelName(projection))
      const differences = differencesOf(yield* compare(projection, yield* scratchModels, dump, NOTHING_EXPIRES))
      return { name: projection.name, differences: differences.slice(0, MOST_DIFFERENCES), count: differences.length }
    }).pipe(
      // Its verification finds a log that was cut off. An event that a projection cannot read keeps the model before it.
      Effect.catchTag(["AheadOfLog", "PoisonEvent"], () => Effect.succeed(undefined)),
      Effect.scoped
    )).pipe(
      Effect.map((found) => found.flatMap((each) => each === undefined || each.count === 0 ? [] : [each])),
      Effect.provide(layerStoresReadOnly(settings)),
      Effect.mapError(notCompared)
    )

/** Whether a start compares keys, accounts and policies: only with both stores in files. */
export const isComparedAtStart = (settings: StoreSettings): boolean => filesOf(settings) !== undefined

/** The differences of the models that a start compares. None when log and read models are not both files. */
export const differencesAtStart = (settings: StoreSettings) =>
  Effect.suspend(() => {
    const files = filesOf(settings)
    if (files === undefined || !existsSync(files.models)) return Effect.succeed<ReadonlyArray<ModelDifferences>>([])
    return Effect.try({ try: () => compareAtStart(files), catch: notCompared })
  })

const nothingFound: ReadonlyArray<ModelDifferences> = []

/**
 * Compares keys, accounts and policies with the log before the service answers, and builds a model again that differs: a
 * person with access to the file may have changed it. Only with both stores in files.
 */
export const layerOwnModels = (settings: StoreSettings) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const found = yield* differencesAtStart(settings).pipe(
      // An event that this version cannot read stops projections, and not the service.
      Effect.catchTag(
        "NotCompared",
        ({ message }) => Effect.as(Effect.logError(`At the start ${message}`), nothingFound)
      )
    )
    if (found.length === 0) return
    const models = yield* ReadModels
    const head = yield* (yield* EventStore).head
    for (const model of found) {
      for (const { mend, what } of describeDifferences(model)) yield* Effect.logError(`At the start ${what}; ${mend}`)
      yield* Effect.logError(
        `The read model ${model.name} is built again from the log now. The service did not write what it had: `
          + "run sliptrail trail verify, and find out who can write the data folder"
      )
      const projection = comparedAtStart.find(({ name }) => name === model.name)
      if (projection !== undefined) yield* models.clear(modelName(projection), head)
    }
  }))
