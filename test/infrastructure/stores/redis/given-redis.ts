import { afterAll, beforeAll } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { ReadModels } from "../../../../ports/read-models.ts"
import { layerRedisConnection } from "../../../../infrastructure/stores/redis/connection.ts"
import {
  layerReadModelsRedis,
  type RedisReadModelsOptions
} from "../../../../infrastructure/stores/redis/read-models.ts"

/** Starts something before the tests of a file and stops it after them. Its value is available only inside tests. */
export const onceForFile = <A>(start: Effect.Effect<A, never, Scope.Scope>): () => A => {
  const scope = Scope.makeUnsafe()
  let started: { readonly value: A } | undefined
  beforeAll(async () => {
    started = { value: await Effect.runPromise(Scope.provide(start, scope)) }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (started === undefined) throw new Error("the value is available only inside tests")
    return started.value
  }
}

/** A connection for tests without time limits: on a busy machine an answer may take any time. */
export const patientConnection = (url: string) =>
  layerRedisConnection({ url: Redacted.make(url), commandTimeout: "10 minutes", startTimeout: "10 minutes" })

/** Read models over a separate connection, which is provided too. */
export const readModelsAt = (url: string, options?: RedisReadModelsOptions) =>
  layerReadModelsRedis(options).pipe(Layer.provideMerge(patientConnection(url)))

/** Two adapters that share only the server, like two processes. */
export const twoReadModelsAt = Effect.fnUntraced(function* (url: string) {
  const first = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  const second = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  return [Context.get(first, ReadModels), Context.get(second, ReadModels)] as const
})
