import { Clock, Context, Effect, Layer } from "effect"
import { makeCondition } from "../../../../projections/engine/condition.ts"
import { shadowName } from "../../../../projections/engine/model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { type Batch, ReadModelsError, type Write } from "../../../../ports/read-models.ts"
import type { Applied } from "./apply-batch.ts"
import { type ApplyingThread, makeApplyingThread } from "./applying-thread.ts"
import { discard, isDamage, openTables } from "./database.ts"
import { makeSeenPositions } from "./high-water-marks.ts"
import { flat, readPosition, type Tables } from "./tables.ts"

/** Told of every batch that took effect, some time after its commit and before anybody else is. Must not throw. */
export type AppliedListener = (model: string, writes: ReadonlyArray<Write>, upTo: Position) => void

/** Told likewise when a model was replaced by what was built beside it; `tables` is what holds from now on. */
export type PromotedListener = (model: string, upTo: Position, tables: Tables) => void

/**
 * The open file of the embedded read models. What the port offers, and more for adapters that live in the same file:
 * synchronous looks at it, and a word on every batch of this process.
 */
export class EmbeddedReadModels extends Context.Service<EmbeddedReadModels, {
  /** Runs against the file in one go. On finding the file damaged it is replaced by an empty one, and this fails. */
  readonly attempt: <A>(operation: string, run: (tables: Tables) => A) => Effect.Effect<A, ReadModelsError>
  /** The same for one model, and fails with `behind` while that is lost and not back where it was seen. */
  readonly read: <A>(
    operation: string,
    model: string,
    run: (tables: Tables) => A
  ) => Effect.Effect<A, ReadModelsError>
  readonly apply: (model: string, batch: Batch) => Effect.Effect<Position, ReadModelsError>
  readonly clear: (model: string, until: Position) => Effect.Effect<void, ReadModelsError>
  readonly promote: (model: string) => Effect.Effect<boolean, ReadModelsError>
  readonly awaitPosition: (
    model: string,
    position: Position,
    timeoutMillis: number
  ) => Effect.Effect<void, ReadModelsError>
  /** Until the returned function is called. */
  readonly onApplied: (listener: AppliedListener) => () => void
  /** Until the returned function is called. */
  readonly onPromoted: (listener: PromotedListener) => () => void
}>()("sliptrail/infrastructure/EmbeddedReadModels") {}

/** Makes the thread that applies batches while it is ready; otherwise they are applied in place. */
export type MakeThread = (file: string) => Effect.Effect<ApplyingThread>

const startedUnderLoad: MakeThread = (file) => Effect.sync(() => makeApplyingThread(file))

/** Opens the file for the life of the layer. Fails with `unavailable` when there can be no file at that place. */
export const layerEmbeddedEngine = (
  file: string,
  makeThread: MakeThread = startedUnderLoad
): Layer.Layer<EmbeddedReadModels, ReadModelsError> =>
  Layer.effect(
    EmbeddedReadModels,
    Effect.gen(function* () {
      const opened = yield* Effect.try({ try: () => openTables(file), catch: failed("open") })
      if (opened.replaced !== undefined) {
        yield* logReplaced(file, opened.replaced)
      }
      let tables = opened.tables
      const seen = makeSeenPositions(opened.checkpoints)
      yield* Effect.addFinalizer(() => Effect.sync(() => tables.close()))
      const thread = yield* makeThread(file)
      yield* Effect.addFinalizer(() => thread.close)

      const replace = Effect.fnUntraced(function* (damage: string) {
        yield* Effect.try({
          try: () => {
            tables.close()
            discard(file)
            thread.abandon()
            tables = openTables(file).tables
            seen.loseAll()
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
          if (seen.isLost(model, tables.checkpoint)) throw new ReadModelsError({ operation, reason: "behind" })
          return run(tables)
        })

      const listeners = { applied: new Set<AppliedListener>(), promoted: new Set<PromotedListener>() }
      const bell = makeCondition()
      let moves = 0

      const moved = (model: string, upTo: Position, rows: number) => {
        moves++
        seen.saw(model, upTo)
        thread.wrote(rows)
        bell.ring()
      }

      const applied = (model: string, batch: Batch, outcome: Applied): Position => {
        if (outcome.applied) {
          for (const listener of listeners.applied) listener(model, batch.writes, batch.upTo)
          moved(model, batch.upTo, batch.writes.length)
        }
        return readPosition(outcome.inForce)
      }
      /** Whether a batch of which there is no word took effect: its thread has let go of the file. */
      const isApplied = (model: string, { upTo }: Batch): boolean => {
        try {
          const inForce = tables.checkpoint(model)
          return inForce.commit === upTo.commit && inForce.prepare === upTo.prepare
        } catch {
          return false
        }
      }
      const applyInThread = (model: string, batch: Batch) =>
        Effect.callback<Position, ReadModelsError>((resume) =>
          thread.apply(model, flat(batch), (outcome) => {
            // Told also when nobody waits for it any more.
            if (!(outcome instanceof Error)) resume(Effect.succeed(applied(model, batch, outcome)))
            else if (!isApplied(model, batch)) resume(Effect.fail(failed("apply")(outcome)))
            else resume(Effect.succeed(applied(model, batch, { inForce: formatPosition(batch.upTo), applied: true })))
          })
        )
      const apply = (model: string, batch: Batch) =>
        Effect.suspend(() =>
          thread.isReady()
            ? orReplace(applyInThread(model, batch))
            : attempt("apply", (tables) => applied(model, batch, tables.apply(model, batch)))
        )

      const clear = (model: string, until: Position) =>
        attempt("clear", (tables) => {
          tables.clear(model)
          seen.expect(model, until)
        })

      const promote = (model: string) =>
        attempt("promote", (tables) => {
          const outcome = tables.promote(model)
          if (outcome === undefined) return false
          seen.expect(shadowName(model), beginning)
          for (const listener of listeners.promoted) listener(model, outcome.inForce, tables)
          moved(model, outcome.inForce, outcome.rows)
          return true
        })

      /** Returns at once when a model moved since `after` was read: the word on it may have come before we wait. */
      const nextMove = (after: number) => bell.until(() => moves !== after)

      const awaitPosition = Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
        const reached = attempt("awaitPosition", (tables) => !isBefore(tables.checkpoint(model), position))
        if (yield* reached) return
        const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
        while (true) {
          const before = moves
          if (yield* reached) return
          const left = deadline - (yield* Clock.currentTimeMillis)
          if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
          // Another process may move the checkpoint in the same file, of which nobody tells us.
          yield* Effect.timeoutOption(nextMove(before), Math.min(left, lookAgainMillis))
        }
      })

      return EmbeddedReadModels.of({
        attempt,
        read,
        apply,
        clear,
        promote,
        awaitPosition,
        onApplied: (listener) => listen(listeners.applied, listener),
        onPromoted: (listener) => listen(listeners.promoted, listener)
      })
    })
  )

const lookAgainMillis = 50

const listen = <A>(listeners: Set<A>, listener: A) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const failed = (operation: string) => (cause: unknown) =>
  cause instanceof ReadModelsError ? cause : new ReadModelsError({ operation, reason: "unavailable", cause })

const logReplaced = (file: string, why: string) =>
  Effect.logError(`Read models replaced by an empty file, to be rebuilt from the log: ${why}`).pipe(
    Effect.annotateLogs({ file })
  )
