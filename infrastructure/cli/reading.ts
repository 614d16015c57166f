import { Effect, Layer } from "effect"
import { isHeld } from "../runtime/data-folder.ts"
import { layerEngines, layerReading } from "../runtime/engines.ts"
import { readSettings } from "../settings.ts"

/**
 * The data folder of the settings, for commands that only look: beside a running service, or alone, when the read
 * models are first brought up to date with the log.
 */
export const layerLooking = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* readSettings
  return (yield* isHeld(settings.dataDir)) ? layerReading(settings) : layerEngines(settings)
}))

/** The data folder of the settings, held for writing: refused while a service has it open. */
export const layerWriting = Layer.unwrap(Effect.map(readSettings, layerEngines))
