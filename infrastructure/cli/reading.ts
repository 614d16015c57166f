import { Effect, Layer } from "effect"
import { ReadModelsError } from "../../application/ports/read-models.ts"
import { isHeld } from "../runtime/data-folder.ts"
import { layerEngines, layerReading } from "../runtime/engines.ts"
import { readSettings } from "../settings.ts"

/**
 * The data folder of the settings, for commands that only look: beside a running service, or alone, when the read
 * models are first brought up to date with the log.
 */
const layerLooking = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* readSettings
  return (yield* isHeld(settings.dataDir)) ? layerReading(settings) : layerEngines(settings)
}))

/** A service that has just started, on a long log or a busy machine, takes its time; each look waits two seconds. */
const MORE_LOOKS = 4

const isBehind = (error: unknown): boolean => error instanceof ReadModelsError && error.reason === "behind"

/** Looks at the data folder, as soon as its read models have what is in the log. */
export const looking = <A, E, R>(look: Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.retry(look, { times: MORE_LOOKS, while: isBehind }), layerLooking)

/** The data folder of the settings, held for writing: made if need be, refused while a service has it open. */
export const layerWriting = Layer.unwrap(Effect.map(readSettings, layerEngines))

/** The same for what changes something that must be there: a wrong `DATA_DIR` makes no new folder. */
export const layerChanging = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* readSettings
  // Who holds it is found out when it is held.
  yield* isHeld(settings.dataDir)
  return layerEngines(settings)
}))
