import { Clock, Effect, Layer } from "effect"
import { isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { EmbeddedReadModels, type EngineOptions, layerEmbeddedEngine } from "./engine.ts"
import { openTablesForReading } from "./database.ts"
import { makeHighWaterMarks } from "./high-water-marks.ts"
import { readPosition, type Tables } from "./tables.ts"

export interface EmbeddedReadModelsOptions extends EngineOptions {
  /** Path of the SQLite file. Created when missing; it may be deleted while no process has it open. */
  readonly file: string
}

/**
 * Read models in one SQLite file, for one process. Commits are not flushed one by one, because the log rebuilds what a
 * power cut takes. Reads run on the main thread and take microseconds; under load a thread applies the batches.
 */
export const layerReadModelsEmbedded = (
  options: EmbeddedReadModelsOptions
): Layer.Layer<ReadModels | EmbeddedReadModels, ReadModelsError> =>
  readModels().pipe(Layer.provideMerge(layerEmbeddedEngine(options)))

/**
 * The same file read-only, also while another process writes it. Batches of that process appear as soon as they are
 * committed. `apply`, `clear` and `promote` fail, and a damaged file stays as it is. Fails when there is no such file.
 */
export const layerReadModelsEmbeddedReadOnly = (
  options: EmbeddedReadModelsOptions
): Layer.Layer<ReadModels, ReadModelsError> =>
  readModels().pipe(Layer.provide(layerEmbeddedEngineReadOnly(options.file)))

/** A function, because a layer is built once by reference and two files must stay apart. */
const readModels = () =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const { apply, attempt, awaitComplete, awaitPosition, clear, promote, read, require } = yield* EmbeddedReadModels
      return ReadModels.of({
        batchWrites: Effect.succeed(BATCH_WRITES),
        apply,
        awaitComplete,
        awaitPosition,
        clear,
        promote,
        require,
        checkpoint: (model) => attempt("checkpoint", (tables) => tables.checkpoint(model)),
        get: (model, table, key) => read("get", model, (tables) => tables.get(model, table, key)),
        count: (model, set, range) => read("count", model, (tables) => tables.count(model, set, range)),
        has: (model, members) =>
          read("has", model, (tables) =>
            tables.atOneMoment(() =>
              members.map(({ fixedScore, member, set }) =>
                tables.has(model, set, member, fixedScore)
              )
            )),
        members: (model, set, options) =>
          read("members", model, (tables) => tables.members(model, set, options)),
        dump: (model) => attempt("dump", (tables) => tables.dump(model))
      })
    })
  )

/** Half a second in the thread. A page of the file that many writes change is written once for all of them. */
const BATCH_WRITES = 10_000

/** Opens the file read-only. Writes fail with `unavailable`, and so does opening a file that is missing. */
const layerEmbeddedEngineReadOnly = (file: string): Layer.Layer<EmbeddedReadModels, ReadModelsError> =>
  Layer.effect(
    EmbeddedReadModels,
    Effect.gen(function* () {
      const tables = yield* Effect.acquireRelease(
        Effect.try({ try: () => openTablesForReading(file), catch: failed("open") }),
        (tables) => Effect.sync(() => tables.close())
      )

      const marks = makeHighWaterMarks([])

      const attempt = <A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, ReadModelsError> =>
        Effect.try({ try: () => run(tables), catch: failed(operation) })

      const awaitPosition = Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
        const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
        while (true) {
          const checkpoint = yield* attempt("awaitPosition", (tables) => tables.checkpoint(model))
          if (!isBefore(checkpoint, position)) return
          const left = deadline - (yield* Clock.currentTimeMillis)
          if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
          yield* Effect.sleep(Math.min(left, pollMillis))
        }
      })

      return EmbeddedReadModels.of({
        attempt,
        read: (operation, model, run) =>
          attempt(operation, (tables) => {
            if (marks.unreached(model, tables.checkpoint) !== undefined) {
              throw new ReadModelsError({ operation, reason: "behind" })
            }
            return run(tables)
          }),
        require: (model, position) => Effect.sync(() => marks.require(model, position)),
        awaitComplete: (model, timeoutMillis) =>
          Effect.flatMap(
            attempt("awaitComplete", (tables) => marks.unreached(model, tables.checkpoint)),
            (mark) => mark === undefined ? Effect.void : awaitPosition(model, mark, timeoutMillis)
          ),
        clear: (model) => attempt("clear", (tables) => tables.clear(model)),
        promote: (model) => attempt("promote", (tables) => tables.promote(model) !== undefined),
        apply: (model, batch) => attempt("apply", (tables) => readPosition(tables.apply(model, batch).current)),
        following: { isReady: () => false, limit: 0, project: () => Effect.undefined, extend: Effect.succeed },
        awaitPosition,
        duringBuild: (build) => build,
        // Another process applies the batches, and sends no notification.
        onApplied: () => () => {},
        onReplaced: () => () => {}
      })
    })
  )

/** A poll takes microseconds. */
const pollMillis = 50

const failed = (operation: string) => (cause: unknown) =>
  cause instanceof ReadModelsError ? cause : new ReadModelsError({ operation, reason: "unavailable", cause })
