import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { layerRedisConnection, RedisConnection } from "../../infrastructure/stores/redis/connection.ts"

/**
 * A program that connects to the Redis of its argument, says `open`, closes the connection on the first word from its
 * input and then has nothing more to do: it ends by itself, or something was left running.
 */
await Effect.runPromise(
  Effect.gen(function* () {
    yield* (yield* RedisConnection).info("server")
    process.stdout.write("open\n")
    yield* Effect.promise(() => once(process.stdin, "data"))
    process.stdin.destroy()
  }).pipe(Effect.provide(layerRedisConnection({ url: Redacted.make(process.argv[2] ?? "") })))
)
