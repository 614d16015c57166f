import { Effect, Fiber } from "effect"
import { ReadModels } from "../../ports/read-models.ts"

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
