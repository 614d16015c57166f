import { afterAll, beforeAll } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { ReadModels } from "../../../../ports/read-models.ts"
import { layerRedisConnection } from "../../../../infrastructure/stores/redis/connection.ts"
import {
  layerReadModelsRedis,
  type RedisReadModelsOptions
} from "../../../../infrastructure/stores/redis/read-models.ts"

/** What is started before the tests of a file and stopped behind them; to be read inside tests. */
export const onceForFile = <A>(start: Effect.Effect<A, never, Scope.Scope>): () => A => {
  const scope = Scope.makeUnsafe()
  let started: { readonly value: A } | undefined
  beforeAll(async () => {
    started = { value: await Effect.runPromise(Scope.provide(start, scope)) }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (started === undefined) throw new Error("nothing is started outside of tests")
    return started.value
  }
}

/** Read models over a connection of their own, which they give too. */
export const readModelsAt = (url: string, options?: RedisReadModelsOptions) =>
  layerReadModelsRedis(options).pipe(Layer.provideMerge(layerRedisConnection({ url: Redacted.make(url) })))

/** Two processes as far as Redis can tell: adapters that share nothing but the server. */
export const twoReadModelsAt = Effect.fnUntraced(function* (url: string) {
  const one = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  const other = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  return [Context.get(one, ReadModels), Context.get(other, ReadModels)] as const
})
