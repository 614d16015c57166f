import { Effect } from "effect"
import { ReadModelsError } from "../../../../../ports/read-models.ts"
import { discard, isDamage, openTables } from "./database.ts"
import { makeHighWaterMarks } from "./high-water-marks.ts"
import { makeModelWriter, type ModelWriter } from "./model-writer.ts"
import type { ModelWriterFiles } from "./serve-models.ts"
import type { Tables } from "./tables.ts"

/** Makes the writer that applies batches while its thread is ready; otherwise they are applied in place. */
export type MakeWriter = (files: ModelWriterFiles) => Effect.Effect<ModelWriter>

const startedUnderLoad: MakeWriter = (files) => Effect.sync(() => makeModelWriter(files))

export interface FileOptions {
  readonly file: string
  /** The file of the log, if it is embedded too. */
  readonly log?: string | undefined
  /** The writer that applies batches; by default its thread starts under load. */
  readonly writer?: MakeWriter | undefined
  /** Whether the whole file is checked for damage when it is opened; true. */
  readonly isChecked?: boolean | undefined
}

export type OpenFile = Effect.Success<ReturnType<typeof openFile>>

/**
 * Opens the file and makes the writer of its thread, until the scope closes. An empty file takes the place of one whose
 * damage shows: every model is then below its high-water mark, and is built again.
 */
export const openFile = Effect.fnUntraced(function* (
  { file, isChecked = true, log, writer: makeWriter = startedUnderLoad }: FileOptions
) {
  const opened = yield* Effect.try({ try: () => openTables(file, isChecked), catch: failed("open") })
  if (opened.replaced !== undefined) yield* logReplaced(file, opened.replaced)
  let tables = opened.tables
  const marks = makeHighWaterMarks(opened.checkpoints)
  yield* Effect.addFinalizer(() => Effect.sync(() => tables.close()))
  const writer = yield* makeWriter({ models: file, log })
  yield* Effect.addFinalizer(() => writer.close)

  const replace = Effect.fnUntraced(function* (damage: string) {
    yield* Effect.try({
      try: () => {
        tables.close()
        discard(file)
        writer.abandon()
        tables = openTables(file).tables
        marks.loseAll()
      },
      catch: failed("replace")
    })
    yield* logReplaced(file, damage)
  })

  /** Replaces the file when what runs on it finds damage, and fails. */
  const orReplace = <A>(run: Effect.Effect<A, ReadModelsError>): Effect.Effect<A, ReadModelsError> =>
    Effect.catchIf(
      run,
      (error) => isDamage(error.cause),
      (error) => Effect.andThen(replace(String(error.cause)), Effect.fail(error))
    )

  return {
    marks,
    writer,
    orReplace,
    tables: () => tables,
    /** Runs synchronously on the file. */
    attempt: <A>(operation: string, run: (tables: Tables) => A) =>
      orReplace(Effect.try({ try: () => run(tables), catch: failed(operation) }))
  }
})

export const failed = (operation: string) => (cause: unknown) =>
  cause instanceof ReadModelsError ? cause : new ReadModelsError({ operation, reason: "unavailable", cause })

const logReplaced = (file: string, why: string) =>
  Effect.logError(`The file of the read models was replaced, and is rebuilt from the log: ${why}`).pipe(
    Effect.annotateLogs({ file })
  )
