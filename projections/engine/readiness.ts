import { Effect, Layer } from "effect"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { SoleWriter } from "../../ports/sole-writer.ts"
import { clearOfAnotherLog } from "./log-identity.ts"
import { type ModelId, modelName } from "./model-name.ts"
import { resetIfAhead } from "./reset-if-ahead.ts"

const PATIENCE_MILLIS = 2_000

/**
 * Requires of every model the events that were in the log when this process started, so that reads fail until the model
 * has them. A restarted process then knows every API key and counts every charge (docs/spec/events.md, "Guarantees").
 *
 * The sole writer of a log first clears the models of another log, and each model that is ahead of its own: the first appends
 * would fill the gap, and the model would lack them for ever.
 */
export const layerRequireLog = (
  models: ReadonlyArray<ModelId>
): Layer.Layer<never, EventStoreError | ReadModelsError, EventStore | ReadModels> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const engine = yield* ReadModels
    const store = yield* EventStore
    const isSoleWriter = (yield* SoleWriter) !== undefined
    if (isSoleWriter) yield* clearOfAnotherLog(store, engine, models.map(modelName))
    const head = yield* store.head
    for (const model of models) {
      if (isSoleWriter) yield* resetIfAhead(store, engine, modelName(model))
      yield* engine.require(modelName(model), head)
    }
  }))

/** Waits briefly until a model is complete; fails with `behind` when it takes longer. Free once the model is complete. */
export const whenReady = (model: ModelId): Effect.Effect<void, ReadModelsError, ReadModels> =>
  ReadModels.use(({ awaitComplete }) => awaitComplete(modelName(model), PATIENCE_MILLIS))

/** Whether a model can be read now. Unlike `whenReady` it also notices a model that was lost. */
export const isReady = (model: ModelId): Effect.Effect<boolean, ReadModelsError, ReadModels> =>
  // Any read fails while the model is below its high-water mark.
  ReadModels.use(({ count }) => count(modelName(model), "")).pipe(
    Effect.as(true),
    Effect.catchIf(({ reason }) => reason === "behind", () => Effect.succeed(false))
  )

/**
 * Waits until models have every event that is in the log now. They then contain what any process answered before. Fails
 * with `behind` when one takes longer than `patienceMillis`.
 */
export const caughtUp = Effect.fnUntraced(
  function* (models: ReadonlyArray<ModelId>, patienceMillis: number = PATIENCE_MILLIS) {
    const { awaitPosition } = yield* ReadModels
    const head = yield* (yield* EventStore).head
    for (const model of models) yield* awaitPosition(modelName(model), head, patienceMillis)
  }
)
