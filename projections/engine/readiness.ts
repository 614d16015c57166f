import { Context, Effect, Layer } from "effect"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { type ModelId, modelName } from "./model-name.ts"

const PATIENCE_MILLIS = 2_000

/**
 * Nothing is answered from a read model that has not caught up with what was in the log when this process started:
 * a key issued before a restart is known, a charge made before it is counted (docs/spec/events.md, "Guarantees").
 */
export class Readiness extends Context.Service<Readiness, {
  /**
   * Waits briefly until the model has caught up, else fails with `behind`. Once it has, this is free: the engines
   * refuse every read of a model that goes back afterwards.
   */
  readonly of: (model: string) => Effect.Effect<void, ReadModelsError>
  /** Whether the model has caught up and can be read now: false when it was lost meanwhile. */
  readonly isReady: (model: string) => Effect.Effect<boolean, ReadModelsError>
}>()("sliptrail/application/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const models = yield* ReadModels
      const head = yield* (yield* EventStore).head
      const ready = new Set<string>()

      const reach = (model: string, timeoutMillis: number) =>
        Effect.tap(models.awaitPosition(model, head, timeoutMillis), () => Effect.sync(() => ready.add(model)))

      return Readiness.of({
        of: (model) => Effect.suspend(() => ready.has(model) ? Effect.void : reach(model, PATIENCE_MILLIS)),
        isReady: (model) =>
          reach(model, 0).pipe(
            // Any read will do. It fails while a model that was lost is short of where it was seen before, which may
            // be far beyond where the log ended at the start.
            Effect.andThen(models.count(model, "")),
            Effect.as(true),
            Effect.catchIf((error) => error.reason === "behind", () => Effect.succeed(false))
          )
      })
    })
  )
}

/** Waits until a model can be answered from; fails as `Readiness.of`. */
export const whenReady = (model: ModelId): Effect.Effect<void, ReadModelsError, Readiness> =>
  Readiness.use((readiness) => readiness.of(modelName(model)))

/**
 * Waits until read models are as far as the log is now: they then hold what any process answered before. Fails with
 * `behind` when one does not get there in time.
 */
export const caughtUp = Effect.fnUntraced(
  function* (models: ReadonlyArray<ModelId>, patienceMillis: number = PATIENCE_MILLIS) {
    const { awaitPosition } = yield* ReadModels
    const head = yield* (yield* EventStore).head
    for (const model of models) yield* awaitPosition(modelName(model), head, patienceMillis)
  }
)
