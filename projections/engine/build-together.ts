import { Cause, Effect, Semaphore } from "effect"
import { beginning, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder } from "../../ports/model-builder.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"

/**
 * Builds empty models in one pass over the log; undefined in a process without a builder. The returned function builds
 * a model together with all other empty ones, or waits for the running build. It returns false when the model must be
 * built batch by batch.
 */
export const buildTogether = Effect.fnUntraced(function* (projections: ReadonlyArray<Projection>) {
  const buildModels = yield* ModelBuilder
  if (buildModels === undefined) return undefined
  const [store, models] = [yield* EventStore, yield* ReadModels]
  const building = Semaphore.makeUnsafe(1)
  /** Models that a build failed to build. Others wait for a build meanwhile, and must not start the same one again. */
  const failed = new Set<string>()

  const isEmpty = (model: string) =>
    Effect.map(models.checkpoint(model), (checkpoint) => !isBefore(beginning, checkpoint))

  const build = Effect.fnUntraced(function* () {
    const wanted = yield* Effect.filter(
      projections.map(modelName).filter((model) => !failed.has(model)),
      isEmpty
    )
    for (const model of wanted) failed.add(model)
    const built = yield* buildModels(wanted, yield* store.head)
    // The log is short: it may be longer when a model is lost.
    if (built.length === 0) return failed.clear()
    for (const model of built) if (yield* models.promote(model)) failed.delete(model)
    yield* Effect.logInfo(`Read models were built from the log: ${built.join(", ")}`)
  })

  return (model: string): Effect.Effect<boolean> =>
    building.withPermits(1)(Effect.gen(function* () {
      if (!(yield* isEmpty(model))) return true
      if (failed.has(model)) return false
      yield* build()
      return !(yield* isEmpty(model))
    })).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logWarning("Read models are built batch by batch: the build failed", cause), false)
      )
    )
})
