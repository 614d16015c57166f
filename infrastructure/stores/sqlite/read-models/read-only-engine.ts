import { Clock, Effect, Layer } from "effect"
import { isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { ReadModelsError } from "../../../../ports/read-models.ts"
import { openTablesForReading } from "./database.ts"
import { EmbeddedReadModels } from "./engine.ts"
import { readPosition, type Tables } from "./tables.ts"

/** Opens the file for looking only. Whatever would write fails with `unavailable`, as does opening what is not there. */
export const layerEmbeddedEngineReadOnly = (file: string): Layer.Layer<EmbeddedReadModels, ReadModelsError> =>
  Layer.effect(
    EmbeddedReadModels,
    Effect.gen(function* () {
      const tables = yield* Effect.acquireRelease(
        Effect.try({ try: () => openTablesForReading(file), catch: failed("open") }),
        (tables) => Effect.sync(() => tables.close())
      )

      const attempt = <A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, ReadModelsError> =>
        Effect.try({ try: () => run(tables), catch: failed(operation) })

      return EmbeddedReadModels.of({
        attempt,
        // For looking into a file, as it is: what its writer may have lost is not known here.
        read: (operation, _model, run) => attempt(operation, run),
        clear: (model) => attempt("clear", (tables) => tables.clear(model)),
        promote: (model) => attempt("promote", (tables) => tables.promote(model) !== undefined),
        apply: (model, batch) => attempt("apply", (tables) => readPosition(tables.apply(model, batch).inForce)),
        awaitPosition: Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
          const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
          while (true) {
            const checkpoint = yield* attempt("awaitPosition", (tables) => tables.checkpoint(model))
            if (!isBefore(checkpoint, position)) return
            const left = deadline - (yield* Clock.currentTimeMillis)
            if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
            yield* Effect.sleep(Math.min(left, lookAgainMillis))
          }
        }),
        // Batches are applied by another process, which does not tell.
        onApplied: () => () => {},
        onPromoted: () => () => {}
      })
    })
  )

/** Looking costs microseconds. */
const lookAgainMillis = 50

const failed = (operation: string) => (cause: unknown) =>
  new ReadModelsError({ operation, reason: "unavailable", cause })
