import { Clock, Context, Effect, Layer } from "effect"
import { makeCondition } from "../../../../projections/engine/condition.ts"
import { shadowName } from "../../../../projections/engine/model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { type Batch, ReadModelsError, type Write } from "../../../../ports/read-models.ts"
import type { Following, NextEvents, ProjectedEvents } from "../../../../ports/log-follower.ts"
import type { Pending, SigningDue } from "../../../../domain/log-proof/pending-block.ts"
import type { Applied } from "./apply-batch.ts"
import { type Listeners, makeListeners } from "./listeners.ts"
import { makeModelWriter, type ModelWriter } from "./model-writer.ts"
import type { ModelWriterFiles } from "./serve-models.ts"
import { MOST_EVENTS, type ProjectedOfModel } from "./follow-log.ts"
import { discard, isDamage, openTables } from "./database.ts"
import { makeHighWaterMarks } from "./high-water-marks.ts"
import { makeSweeper } from "./sweeper.ts"
import { flat, readPosition, type Tables } from "./tables.ts"

/**
 * The open file of the embedded read models: the port's operations, and for adapters on the same file synchronous reads
 * and a notification of every batch of this process.
 */
export class EmbeddedReadModels extends Context.Service<EmbeddedReadModels, {
  /** Runs synchronously on the file. When the file is damaged, replaces it by an empty one and fails. */
  readonly attempt: <A>(operation: string, run: (tables: Tables) => A) => Effect.Effect<A, ReadModelsError>
  /** The same for one model. Fails with `behind` while the model is below its high-water mark. */
  readonly read: <A>(
    operation: string,
    model: string,
    run: (tables: Tables) => A
  ) => Effect.Effect<A, ReadModelsError>
  readonly require: (model: string, position: Position) => Effect.Effect<void>
  readonly awaitComplete: (model: string, timeoutMillis: number) => Effect.Effect<void, ReadModelsError>
  readonly apply: (model: string, batch: Batch) => Effect.Effect<Position, ReadModelsError>
  /** Follows the log in the thread. It is ready when the thread runs and can read the log. */
  readonly following: Following
  readonly clear: (model: string, mark: Position) => Effect.Effect<void, ReadModelsError>
  readonly promote: (model: string) => Effect.Effect<boolean, ReadModelsError>
  readonly awaitPosition: (
    model: string,
    position: Position,
    timeoutMillis: number
  ) => Effect.Effect<void, ReadModelsError>
  /** Runs what lets another thread write much to the file: meanwhile no write of this thread waits for it. */
  readonly duringBuild: <A, E>(build: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly onApplied: Listeners["onApplied"]
  readonly onReplaced: Listeners["onReplaced"]
}>()("sliptrail/infrastructure/EmbeddedReadModels") {}

/** Makes the writer that applies batches while its thread is ready; otherwise they are applied in place. */
export type MakeWriter = (files: ModelWriterFiles) => Effect.Effect<ModelWriter>

const startedUnderLoad: MakeWriter = (files) => Effect.sync(() => makeModelWriter(files))

export interface EngineOptions {
  readonly file: string
  /** The file of the log, if it is embedded too. */
  readonly log?: string | undefined
  /** The writer that applies batches; by default its thread starts under load. */
  readonly writer?: MakeWriter | undefined
  /** Whether the whole file is checked for damage when it is opened; true. */
  readonly isChecked?: boolean | undefined
}

/** Opens the file for the life of the layer. Fails with `unavailable` when there can be no file at that place. */
export const layerEmbeddedEngine = (
  { file, isChecked = true, log, writer: makeWriter = startedUnderLoad }: EngineOptions
): Layer.Layer<EmbeddedReadModels, ReadModelsError> =>
  Layer.effect(
    EmbeddedReadModels,
    Effect.gen(function* () {
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

      const orReplace = <A>(run: Effect.Effect<A, ReadModelsError>): Effect.Effect<A, ReadModelsError> =>
        Effect.catchIf(
          run,
          (error) => isDamage(error.cause),
          (error) => Effect.andThen(replace(String(error.cause)), Effect.fail(error))
        )

      const attempt = <A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, ReadModelsError> =>
        orReplace(Effect.try({ try: () => run(tables), catch: failed(operation) }))

      const read = <A>(operation: string, model: string, run: (tables: Tables) => A) =>
        attempt(operation, (tables) => {
          if (marks.unreached(model, tables.checkpoint) !== undefined) {
            throw new ReadModelsError({ operation, reason: "behind" })
          }
          return run(tables)
        })

      let builds = 0
      const garbage = yield* makeSweeper(
        Effect.suspend(() => builds > 0 ? Effect.succeed(true) : attempt("sweep", (tables) => tables.sweep()))
      )
      const duringBuild = <A, E>(build: Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.andThen(writer.start, Effect.sync(() => void builds++)),
          () => build,
          () => Effect.sync(() => void builds--)
        )

      const listeners = makeListeners()
      const changed = makeCondition()
      let moves = 0

      const moved = (model: string, upTo: Position, rows: number) => {
        moves++
        marks.raise(model, upTo)
        writer.countWrites(rows)
        changed.notifyAll()
      }

      const notify = (model: string, upTo: Position, writes: ReadonlyArray<Write>, written: number) => {
        listeners.applied(model, writes)
        moved(model, upTo, written)
      }
      const applied = (model: string, { upTo, writes }: Batch, outcome: Applied): Position => {
        if (outcome.applied) notify(model, upTo, writes, writes.length)
        return readPosition(outcome.current)
      }
      /** Whether a batch without an answer took effect. The thread that had it has closed the file. */
      const isApplied = (model: string, { upTo }: Batch): boolean => {
        try {
          const current = tables.checkpoint(model)
          return current.commit === upTo.commit && current.prepare === upTo.prepare
        } catch {
          return false
        }
      }
      const applyInThread = (model: string, batch: Batch) =>
        Effect.callback<Position, ReadModelsError>((resume) =>
          writer.apply(model, flat(batch), (outcome) => {
            // Also when the caller was interrupted: listeners need every batch.
            if (!(outcome instanceof Error)) resume(Effect.succeed(applied(model, batch, outcome)))
            else if (!isApplied(model, batch)) resume(Effect.fail(failed("apply")(outcome)))
            else resume(Effect.succeed(applied(model, batch, { current: formatPosition(batch.upTo), applied: true })))
          })
        )
      const applyHere = (model: string, batch: Batch) =>
        attempt("apply", (tables) => applied(model, batch, tables.apply(model, batch)))
      const apply = (model: string, batch: Batch) =>
        Effect.suspend(() => {
          if (writer.isReady()) return orReplace(applyInThread(model, batch))
          if (batch.writes.length < LARGE_BATCH) return applyHere(model, batch)
          return Effect.flatMap(
            writer.start,
            () => writer.isReady() ? orReplace(applyInThread(model, batch)) : applyHere(model, batch)
          )
        })

      const projected = (model: string, answer: ProjectedOfModel): ProjectedEvents | undefined => {
        if (answer._tag === "poison") return undefined
        if (answer._tag === "failed") throw new Error(answer.message)
        const { events, handled, outcome, writes, written } = answer
        const upTo = readPosition(answer.upTo)
        if (outcome?.applied === true) notify(model, upTo, writes, written)
        return { upTo, events, handled, checkpoint: outcome === undefined ? undefined : readPosition(outcome.current) }
      }
      /** The thread may have died after its commit. The file may be closed or damaged. */
      const readAgain = (model: string) => {
        try {
          listeners.replaced(model, tables)
        } catch {
          // The model is built anew, and its shadow replaces it.
        }
      }
      const project = ({ after, from, model }: NextEvents) => {
        const next = { model, after: formatPosition(after), from: formatPosition(from) }
        const wantsWrites = listeners.wantWrites(model)
        return orReplace(Effect.callback<ProjectedEvents | undefined, ReadModelsError>((resume) =>
          writer.project({ ...next, wantsWrites }, (answer) => {
            // Also when the caller was interrupted: listeners need every batch.
            try {
              if (answer instanceof Error) throw answer
              resume(Effect.succeed(projected(model, answer)))
            } catch (cause) {
              readAgain(model)
              resume(Effect.fail(failed("project")(cause)))
            }
          })
        ))
      }

      const extend = (pending: Pending, due: SigningDue) =>
        Effect.callback<Pending, ReadModelsError>((resume) =>
          writer.extend({ pending, due }, (answer) =>
            resume(answer instanceof Error ? Effect.fail(failed("extend")(answer)) : Effect.succeed(answer)))
        )

      const clear = (model: string, mark: Position) =>
        attempt("clear", (tables) => {
          tables.clear(model)
          marks.reset(model, mark)
          garbage.notify()
        })

      const promote = (model: string) =>
        attempt("promote", (tables) => {
          const current = tables.promote(model)
          if (current === undefined) {
            return false
          }
          marks.reset(shadowName(model), beginning)
          listeners.replaced(model, tables)
          moved(model, current, 0)
          garbage.notify()
          return true
        })

      /** Waits until a model has moved since `moves` was read; returns at once when one has. */
      const nextMove = (after: number) =>
        changed.await(() =>
          moves !== after
        )

      const awaitPosition = Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
        const reached = attempt("awaitPosition", (tables) => !isBefore(tables.checkpoint(model), position))
        if (yield* reached) return
        const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
        while (true) {
          const before = moves
          if (yield* reached) return
          const left = deadline - (yield* Clock.currentTimeMillis)
          if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
          // Polls too, because another process may move the checkpoint in the same file.
          yield* Effect.timeoutOption(nextMove(before), Math.min(left, pollMillis))
        }
      })

      const awaitComplete = (model: string, timeoutMillis: number) =>
        Effect.flatMap(
          attempt("awaitComplete", (tables) => marks.unreached(model, tables.checkpoint)),
          (mark) => mark === undefined ? Effect.void : awaitPosition(model, mark, timeoutMillis)
        )

      return EmbeddedReadModels.of({
        attempt,
        read,
        require: (model, position) => Effect.sync(() => marks.require(model, position)),
        awaitComplete,
        apply,
        following: { isReady: () => writer.canFollow && writer.isReady(), limit: MOST_EVENTS, project, extend },
        clear,
        promote,
        awaitPosition,
        duringBuild,
        onApplied: listeners.onApplied,
        onReplaced: listeners.onReplaced
      })
    })
  )

const pollMillis = 50

/** A batch with this many writes would block the process for tens of milliseconds: it waits for the thread. */
const LARGE_BATCH = 2_000

const failed = (operation: string) => (cause: unknown) =>
  cause instanceof ReadModelsError ? cause : new ReadModelsError({ operation, reason: "unavailable", cause })

const logReplaced = (file: string, why: string) =>
  Effect.logError(`The file of the read models was replaced, and is rebuilt from the log: ${why}`).pipe(
    Effect.annotateLogs({ file })
  )
