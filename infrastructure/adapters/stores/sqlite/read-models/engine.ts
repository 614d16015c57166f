import { Context, Effect, Layer, type Scope } from "effect"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import type { Following } from "../../../../../ports/log-follower.ts"
import type { ReadModels, ReadModelsError } from "../../../../../ports/read-models.ts"
import { shadowName } from "../../../../../projections/engine/model-name.ts"
import { makeApplying, type OnApplied } from "./applying.ts"
import { makeFollowing } from "./following.ts"
import type { ModelListener } from "./listeners.ts"
import { type FileOptions, openFile } from "./open-file.ts"
import { makeReading } from "./reading.ts"
import { makeSweeper } from "./sweeper.ts"
import type { Tables } from "./tables.ts"

type Operations = Pick<
  ReadModels["Service"],
  "apply" | "awaitComplete" | "awaitPosition" | "clear" | "promote" | "require"
>

/**
 * The open file of the embedded read models: the port's operations, and for adapters on the same file synchronous reads
 * and a notification of every batch of this process.
 */
export class EmbeddedReadModels extends Context.Service<
  EmbeddedReadModels,
  Operations & {
    /** Runs synchronously on the file. When the file is damaged, replaces it by an empty one and fails. */
    readonly attempt: <A>(operation: string, run: (tables: Tables) => A) => Effect.Effect<A, ReadModelsError>
    /** The same for one model. Fails with `behind` while the model is below its high-water mark. */
    readonly read: <A>(
      operation: string,
      model: string,
      run: (tables: Tables) => A
    ) => Effect.Effect<A, ReadModelsError>
    readonly following: Following
    /** Runs what lets another thread write much to the file: meanwhile no write of this thread waits for it. */
    readonly duringBuild: <A, E>(build: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /** One listener of a model at a time, until the scope closes. */
    readonly listen: (model: string, listener: ModelListener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("sliptrail/infrastructure/EmbeddedReadModels") {}

/** Opens the file for the life of the layer. Fails with `unavailable` when there can be no file at that place. */
export const layerEmbeddedEngine = (options: FileOptions): Layer.Layer<EmbeddedReadModels, ReadModelsError> =>
  Layer.effect(EmbeddedReadModels, makeEngine(options))

const makeEngine = Effect.fnUntraced(function* (options: FileOptions) {
  const file = yield* openFile(options)
  const { attempt, marks, writer } = file
  const { moved, ...reading } = makeReading(attempt, marks)
  const listeners = new Map<string, ModelListener>()

  const onApplied: OnApplied = (model, upTo, writes, written) => {
    listeners.get(model)?.applied(writes)
    writer.countWrites(written)
    moved(model, upTo)
  }

  let builds = 0
  const garbage = yield* makeSweeper(
    Effect.suspend(() => builds > 0 ? Effect.succeed(true) : attempt("sweep", (tables) => tables.sweep()))
  )

  return EmbeddedReadModels.of({
    ...reading,
    attempt,
    apply: makeApplying(file, onApplied),
    following: makeFollowing(file, listeners, onApplied),
    clear: (model, mark) =>
      attempt("clear", (tables) => {
        tables.clear(model)
        marks.reset(model, mark)
        garbage.notify()
      }),
    promote: (model) =>
      attempt("promote", (tables) => {
        const current = tables.promote(model)
        if (current === undefined) return false
        marks.reset(shadowName(model), beginning)
        listeners.get(model)?.replaced(tables)
        moved(model, current)
        garbage.notify()
        return true
      }),
    duringBuild: (build) =>
      Effect.acquireUseRelease(
        Effect.andThen(writer.start, Effect.sync(() => void builds++)),
        () => build,
        () => Effect.sync(() => void builds--)
      ),
    listen: (model, listener) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.set(model, listener)),
        () => Effect.sync(() => void listeners.delete(model))
      )
  })
})
