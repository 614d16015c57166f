import { Effect, Layer } from "effect"
import { LogFollower } from "../../../../../ports/log-follower.ts"
import { EmbeddedReadModels } from "./engine.ts"

/** Follows the log in the thread of the read models, while it runs. */
export const layerLogFollower: Layer.Layer<never, never, EmbeddedReadModels> = Layer.effect(
  LogFollower,
  Effect.map(EmbeddedReadModels, ({ following }) => following)
)
