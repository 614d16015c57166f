import { Effect, Layer } from "effect"
import { formatPosition, type Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { positionsOf } from "../../../projections/engine/status.ts"
import { projections } from "../../../projections/models/all.ts"
import { isHeld, requireData } from "../../runtime/data-folder.ts"
import { layerEngines, layerReading } from "../../runtime/engines.ts"
import { fileInFolder, layerLogReadOnly, layerStoresReadOnly, type StoreSettings } from "../../runtime/stores.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { makeProgress, type Progress } from "./output.ts"

/**
 * Whether a running service has the data folder open; false when the stores are servers. Fails when the folder does not
 * exist: a wrong `DATA_DIR` must not create a new folder.
 */
const isOpenInService = (settings: StoreSettings) => {
  const file = fileInFolder(settings)
  return file === undefined ? Effect.succeed(false) : isHeld(settings.dataDir, file)
}

/** Whether the read models in the data folder are at the head of the log; false when they cannot be read. */
const areUpToDate = (settings: StoreSettings) =>
  fileInFolder(settings) === undefined ? Effect.succeed(false) : positionsOf(projections).pipe(
    Effect.map((positions) => positions.every(({ isAhead, lag }) => lag === 0 && !isAhead)),
    Effect.provide(layerStoresReadOnly(settings)),
    Effect.orElseSucceed(() => false)
  )

/** The duration of one wait for a read model. */
const WAIT_MILLIS = 2_000

/** After this many waits without progress, the command assumes that no process builds the read model. */
const MAX_STALLED_WAITS = 5

const awaitHead = Effect.fnUntraced(function* (model: string, head: Position, progress: Progress) {
  const models = yield* ReadModels
  const isReached = models.awaitPosition(model, head, WAIT_MILLIS).pipe(
    Effect.as(true),
    Effect.catchIf((error) => error.reason === "behind", () => Effect.succeed(false))
  )
  let last = ""
  let stalled = 0
  while (!(yield* isReached)) {
    const at = yield* models.checkpoint(model)
    stalled = formatPosition(at) === last ? stalled + 1 : 0
    if (stalled >= MAX_STALLED_WAITS) {
      return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
    }
    last = formatPosition(at)
    yield* progress.report(`building the read model ${model} from the log`, Number(at.commit), Number(head.commit))
  }
})

/** Waits until the read models are at the head of the log. Fails with `behind` when they make no progress. */
export const layerUpToDate = Layer.effectDiscard(Effect.scoped(Effect.gen(function* () {
  const progress = yield* makeProgress
  const head = yield* (yield* EventStore).head
  for (const projection of projections) yield* awaitHead(modelName(projection), head, progress)
})))

/** Opens the stores for writing only if that is necessary: opening large stores for writing takes seconds. */
export const layerRead = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  return (yield* isOpenInService(settings)) || (yield* areUpToDate(settings))
    ? layerReading(settings)
    : Layer.provideMerge(layerUpToDate, layerEngines(settings))
}))

/** Log and read models, read-only. Read models that are behind are not updated. */
export const layerAsIs = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  yield* isOpenInService(settings)
  return layerStoresReadOnly(settings)
}))

/** The log, read-only, also of a copy of a backup, which has no read models. */
export const layerLogAsIs = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  if (settings.eventStoreUrl === undefined) yield* requireData(settings.dataDir)
  return layerLogReadOnly(settings)
}))

/** The stores, for writing. Creates a data folder that does not exist; fails while a service has it open. */
export const layerCreate = Layer.unwrap(Effect.map(readSettings, (settings) => layerEngines(settings)))

/** The stores, for writing. Fails when the data folder does not exist, and while a service has it open. */
export const layerChange = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  const file = fileInFolder(settings)
  if (file !== undefined) yield* requireData(settings.dataDir, file)
  return layerEngines(settings)
}))
