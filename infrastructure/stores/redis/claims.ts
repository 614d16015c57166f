import { Clock, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Claims } from "../../../ports/claims.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { acquireScript, handBackScript } from "./lease-scripts.ts"

/**
 * Claims among all processes on one Redis, under its clock. Each has a key of its own, and so its own slot of a
 * Cluster: they are spread over the nodes.
 */
export const layerClaimsRedis: Layer.Layer<Claims, never, RedisConnection> = Layer.effect(
  Claims,
  Effect.gen(function* () {
    const redis = yield* RedisConnection
    const holder = randomUUID()
    /** What this process claimed and when it runs out: Redis tells processes apart, and not their fibers. */
    const claimed = new Map<string, number>()

    const claim = Effect.fnUntraced(function* (name: string, forMillis: number) {
      const now = yield* Clock.currentTimeMillis
      if (now < (claimed.get(name) ?? -Infinity)) return false
      claimed.set(name, now + forMillis)
      const left = yield* redis.run("claim", acquireScript, [keyOf(name)], [holder, forMillis]).pipe(
        // An answer that was lost does no harm: asked again, Redis gives the claim to the one who has it.
        Effect.orElseSucceed(() => "unknown"),
        Effect.onInterrupt(() => Effect.sync(() => void claimed.delete(name)))
      )
      if (left === 0) return true
      claimed.delete(name)
      return false
    })

    const giveBack = (name: string) =>
      Effect.suspend(() => {
        claimed.delete(name)
        return Effect.ignore(redis.run("giveBackClaim", handBackScript, [keyOf(name)], [holder]))
      })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => Effect.forEach([...claimed.keys()], giveBack, { concurrency: "unbounded", discard: true }))
    )
    return Claims.of({ claim, giveBack })
  })
)

const keyOf = (name: string): string => `${keyPrefixOf(name)}:claim`
