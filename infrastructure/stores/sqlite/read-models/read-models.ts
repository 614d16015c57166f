import { Effect, Layer } from "effect"
import { beginning } from "../../../../domain/events/recorded-event.ts"
import { ReadModels, type ReadModelsError } from "../../../../ports/read-models.ts"
import { EmbeddedReadModels, layerEmbeddedEngine, type MakeThread } from "./engine.ts"
import { layerEmbeddedEngineReadOnly } from "./read-only-engine.ts"

export interface EmbeddedReadModelsOptions {
  /** Path of the SQLite file. It and its folder are made when they are not there; it may be deleted at any rest. */
  readonly file: string
  /** The thread that applies batches; without it, one that is started under load. */
  readonly thread?: MakeThread
}

/**
 * Read models in one SQLite file, for one process: its commits are not flushed one by one, since what a power cut
 * takes is derived again. Looks run on the main thread and take microseconds; under load a thread applies the batches.
 */
export const layerReadModelsEmbedded = (
  options: EmbeddedReadModelsOptions
): Layer.Layer<ReadModels | EmbeddedReadModels, ReadModelsError> =>
  readModels().pipe(Layer.provideMerge(layerEmbeddedEngine(options.file, options.thread)))

/**
 * The same file for looking only, also while another process writes it: what that process has applied is seen at once.
 * `apply`, `clear` and `promote` fail, and a damaged file is left to its writer. Fails when there is no such file.
 */
export const layerReadModelsEmbeddedReadOnly = (
  options: EmbeddedReadModelsOptions
): Layer.Layer<ReadModels, ReadModelsError> =>
  readModels().pipe(Layer.provide(layerEmbeddedEngineReadOnly(options.file)))

/** A new layer each time: layers are built once by reference, and two files must not become one. */
const readModels = () =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const { apply, attempt, awaitPosition, clear, promote, read } = yield* EmbeddedReadModels
      return ReadModels.of({
        apply,
        awaitPosition,
        promote,
        checkpoint: (model) => attempt("checkpoint", (tables) => tables.checkpoint(model)),
        get: (model, table, key) => read("get", model, (tables) => tables.get(model, table, key)),
        count: (model, set) => read("count", model, (tables) => tables.count(model, set)),
        has: (model, set, member) => read("has", model, (tables) => tables.has(model, set, member)),
        members: (model, set, options) => read("members", model, (tables) => tables.members(model, set, options)),
        clear: (model, until = beginning) => clear(model, until),
        dump: (model) => attempt("dump", (tables) => tables.dump(model))
      })
    })
  )
