import { Effect, Layer } from "effect"
import { ReadModelsError } from "../../ports/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import { positionsOf } from "../../projections/engine/positions.ts"
import { isHeld, requireData } from "../runtime/data-folder.ts"
import { layerEngines, layerReading } from "../runtime/engines.ts"
import { fileInFolder, layerStoresReadOnly, type StoreSettings } from "../runtime/stores.ts"
import { readSettings } from "../settings/settings.ts"
import { layerCaughtUp } from "./catching-up.ts"

/**
 * Whether a running service has the stores to itself. Stores that processes share are nobody's own; a folder must be
 * there, so that a wrong `DATA_DIR` is told and makes no new one.
 */
const areHeld = (settings: StoreSettings) => {
  const file = fileInFolder(settings)
  return file === undefined ? Effect.succeed(false) : isHeld(settings.dataDir, file)
}

/** Whether the read models of the folder have all that is in its log; not so where they cannot be read. */
const areCaughtUp = (settings: StoreSettings) =>
  fileInFolder(settings) === undefined ? Effect.succeed(false) : positionsOf(projections).pipe(
    Effect.map((positions) => positions.every(({ isAhead, lag }) => lag === 0 && !isAhead)),
    Effect.provide(layerStoresReadOnly(settings)),
    Effect.orElseSucceed(() => false)
  )

/**
 * The stores of the settings, for commands that only look: beside a running service, or alone, when the read models
 * are first brought up to date with the log if need be. To open stores for writing takes seconds where they are large.
 */
const layerLooking = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  return (yield* areHeld(settings)) || (yield* areCaughtUp(settings))
    ? layerReading(settings)
    : Layer.provideMerge(layerCaughtUp, layerEngines(settings))
}))

/** A service that has just started, on a long log or a busy machine, takes its time; each look waits two seconds. */
const MORE_LOOKS = 4

const isBefore = (error: unknown): boolean => error instanceof ReadModelsError && error.reason === "behind"

/** Tries again what found the read models behind the log, until they have what is in it. */
export const onceCaughtUp = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(look, { times: MORE_LOOKS, while: isBefore })

/** Looks at the stores, as soon as the read models have what is in the log. */
export const looking = <A, E, R>(look: Effect.Effect<A, E, R>) => Effect.provide(onceCaughtUp(look), layerLooking)

/** Log and read models exactly as they are: nobody brings them up to date. */
export const layerAsTheyAre = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  yield* areHeld(settings)
  return layerStoresReadOnly(settings)
}))

/** The stores of the settings, for writing: a folder is made if need be, and refused while a service has it open. */
export const layerWriting = Layer.unwrap(Effect.map(readSettings, (settings) => layerEngines(settings)))

/** The same for what changes something that must be there; who holds it is found out when it is taken. */
export const layerChanging = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  const file = fileInFolder(settings)
  if (file !== undefined) yield* requireData(settings.dataDir, file)
  return layerEngines(settings)
}))
