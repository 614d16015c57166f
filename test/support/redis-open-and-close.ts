import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { layerRedisConnection, RedisConnection } from "../../infrastructure/adapters/stores/redis/connection.ts"

/**
 * A program that connects to the Redis of its argument, prints `open`, and closes the connection at the first input. It
 * then ends, unless a resource was left open.
 */
await Effect.runPromise(
  Effect.gen(function* () {
    yield* (yield* RedisConnection).info("server")
    process.stdout.write("open\n")
    yield* Effect.promise(() => once(process.stdin, "data"))
    process.stdin.destroy()
  }).pipe(Effect.provide(layerRedisConnection({ url: Redacted.make(process.argv[2] ?? "") })))
)
