import { afterAll, beforeAll } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { ReadModels } from "../../../../../ports/read-models.ts"
import {
  layerRedisConnection,
  RedisConnection
} from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import {
  layerReadModelsRedis,
  type RedisReadModelsOptions
} from "../../../../../infrastructure/adapters/stores/redis/read-models.ts"
import { holdingClock } from "../../../../support/advance-clock.ts"
import { startedByHook } from "../../../../support/require-program.ts"
import type { RedisServer } from "../../../../support/redis-server.ts"

/** Starts something before the tests of a file and stops it after them. Its value is available only inside tests. */
export const onceForFile = <A>(start: Effect.Effect<A, never, Scope.Scope>): () => A => {
  const scope = Scope.makeUnsafe()
  let started: Exit.Exit<A> | undefined
  beforeAll(async () => {
    started = await Effect.runPromiseExit(Scope.provide(start, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (started === undefined) throw new Error("the value is available only inside tests")
    return startedByHook(started)
  }
}

/** The test clock stands still during a command, because Redis needs real time for it. */
const holdingTheClock = Layer.effect(
  RedisConnection,
  Effect.map(
    RedisConnection,
    (redis) => RedisConnection.of({ ...redis, run: (...command) => holdingClock(redis.run(...command)) })
  )
)

/** A connection for tests without time limits: on a busy machine an answer may take any time. */
export const patientConnection = (url: string) =>
  holdingTheClock.pipe(Layer.provide(
    layerRedisConnection({ url: Redacted.make(url), commandTimeout: "10 minutes", startTimeout: "10 minutes" })
  ))

/** The current time of Redis, in whole milliseconds. */
export const timeOf = ({ command }: RedisServer) =>
  Effect.map(command("TIME"), (time) => {
    const [seconds = 0, micros = 0] = Array.isArray(time) ? time.map(Number) : []
    return seconds * 1_000 + Math.floor(micros / 1_000)
  })

/** Read models over a separate connection, which is provided too. */
export const readModelsAt = (url: string, options?: RedisReadModelsOptions) =>
  layerReadModelsRedis(options).pipe(Layer.provideMerge(patientConnection(url)))

/** Two adapters that share only the server, like two processes. */
export const twoReadModelsAt = Effect.fnUntraced(function* (url: string) {
  const first = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  const second = yield* Layer.build(Layer.fresh(readModelsAt(url)))
  return [Context.get(first, ReadModels), Context.get(second, ReadModels)] as const
})
