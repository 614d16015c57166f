import { Effect, Layer } from "effect"
import { ReadModelsError } from "../../../ports/read-models.ts"

/** Loaded when a command opens the stores: a command that calls a service over HTTP does not. */
const layers = Effect.promise(() => import("./store-layers.ts"))

const layerRead = Layer.unwrap(Effect.map(layers, ({ layerRead }) => layerRead))

/** Log and read models, read-only. Read models that are behind are not updated. */
export const layerAsIs = Layer.unwrap(Effect.map(layers, ({ layerAsIs }) => layerAsIs))

/** The log, read-only, also of a copy of a backup, which has no read models. */
export const layerLogAsIs = Layer.unwrap(Effect.map(layers, ({ layerLogAsIs }) => layerLogAsIs))

/** The stores, for writing. Creates a data folder that does not exist; fails while a service has it open. */
export const layerCreate = Layer.unwrap(Effect.map(layers, ({ layerCreate }) => layerCreate))

/** The stores, for writing. Fails when the data folder does not exist, and while a service has it open. */
export const layerChange = Layer.unwrap(Effect.map(layers, ({ layerChange }) => layerChange))

/** Waits until the read models are at the head of the log. Needs the stores. */
export const layerUpToDate = Layer.unwrap(Effect.map(layers, ({ layerUpToDate }) => layerUpToDate))

/** A service that just started on a long log takes some seconds to catch up. Each read already waits two seconds. */
const BEHIND_RETRIES = 4

const isBehind = (error: unknown): boolean => error instanceof ReadModelsError && error.reason === "behind"

/** Repeats a read that found the read models behind the log. */
export const retryWhileBehind = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(read, { times: BEHIND_RETRIES, while: isBehind })

/** Reads the stores, with or without a running service. Read models that are behind are updated first. */
export const readStores = <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.provide(retryWhileBehind(read), layerRead)
