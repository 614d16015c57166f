import { Effect, Layer } from "effect"
import { ReadModels, type ReadModelsError } from "../../../../../ports/read-models.ts"
import { openTablesForReading } from "./database.ts"
import { EmbeddedReadModels, layerEmbeddedEngine } from "./engine.ts"
import { makeHighWaterMarks } from "./high-water-marks.ts"
import { failed, type FileOptions, type OpenFile } from "./open-file.ts"
import { makeReading } from "./reading.ts"
import { readPosition } from "./tables.ts"

export interface EmbeddedReadModelsOptions extends FileOptions {
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
  Layer.effect(ReadModels, Effect.map(EmbeddedReadModels, readModelsOver)).pipe(
    Layer.provideMerge(layerEmbeddedEngine(options))
  )

/**
 * The same file read-only, also while another process writes it. Batches of that process appear as soon as they are
 * committed. `apply`, `clear` and `promote` fail, and a damaged file stays as it is. Fails when there is no such file.
 */
export const layerReadModelsEmbeddedReadOnly = (
  options: EmbeddedReadModelsOptions
): Layer.Layer<ReadModels, ReadModelsError> =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const tables = yield* Effect.acquireRelease(
        Effect.try({ try: () => openTablesForReading(options.file), catch: failed("open") }),
        (tables) => Effect.sync(() => tables.close())
      )
      const attempt: OpenFile["attempt"] = (operation, run) =>
        Effect.try({ try: () => run(tables), catch: failed(operation) })
      return readModelsOver({
        ...makeReading(attempt, makeHighWaterMarks([])),
        attempt,
        clear: (model) => attempt("clear", (tables) => tables.clear(model)),
        promote: (model) => attempt("promote", (tables) => tables.promote(model) !== undefined),
        apply: (model, batch) => attempt("apply", (tables) => readPosition(tables.apply(model, batch).current))
      })
    })
  )

type Engine = Pick<
  EmbeddedReadModels["Service"],
  "apply" | "attempt" | "awaitComplete" | "awaitPosition" | "clear" | "promote" | "read" | "require"
>

const readModelsOver = (
  { apply, attempt, awaitComplete, awaitPosition, clear, promote, read, require }: Engine
): ReadModels["Service"] =>
  ReadModels.of({
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

/** Half a second in the thread. A page of the file that many writes change is written once for all of them. */
const BATCH_WRITES = 10_000
