import { Effect, Fiber, Layer } from "effect"
import { ReadModels } from "../../ports/read-models.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { layerTemporaryReadModels } from "../support/temporary-read-models.ts"

/** An empty log and empty read models, for queries of models that the test fills. */
export const layerEmptyModels = Layer.mergeAll(layerEventStoreMemory, layerTemporaryReadModels).pipe(Layer.fresh)

/** Read models that count what is read from them: one for a query, and one for each member that it returns. */
export const countedReads = Effect.gen(function* () {
  const models = yield* ReadModels
  const reads = { count: 0 }
  const counted = ReadModels.of({
    ...models,
    members: (...args) =>
      Effect.tap(models.members(...args), ({ length }) => Effect.sync(() => reads.count += 1 + length)),
    get: (...args) => Effect.tap(models.get(...args), () => Effect.sync(() => reads.count++))
  })
  return { counted, reads }
})

/** How often other work runs while an effect runs. */
export const turnsDuring = Effect.fnUntraced(function* <A, E, R>(run: Effect.Effect<A, E, R>) {
  let turns = 0
  const others = yield* Effect.forkChild(Effect.forever(Effect.sync(() => turns++)))
  yield* run
  yield* Fiber.interrupt(others)
  return turns
})
