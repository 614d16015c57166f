import { Clock, Duration, Effect, type Exit, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Leases } from "../../../ports/leases.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { acquireScript, handBackScript, renewScript } from "./lease-scripts.ts"

export interface RedisLeasesOptions {
  /** How long a lease goes on when its holder is not heard of; 6 seconds. It is renewed three times in that time. */
  readonly holdFor?: Duration.Input
}

/**
 * Leases among all processes on one Redis. A holder that dies is followed by another once its lease is over; one that
 * can't reach Redis for as long gives up by itself, before another can have begun.
 */
export const layerLeasesRedis = (options: RedisLeasesOptions = {}): Layer.Layer<Leases, never, RedisConnection> =>
  Layer.effect(
    Leases,
    Effect.gen(function* () {
      const redis = yield* RedisConnection
      const holdMillis = Duration.toMillis(options.holdFor ?? "6 seconds")

      /** Returns once the lease is the holder's, with the time at which that was asked. */
      const win = Effect.fnUntraced(function* (key: string, holder: string) {
        while (true) {
          const askedAt = yield* Clock.currentTimeMillis
          const left = yield* redis.run("acquireLease", acquireScript, [key], [holder, holdMillis]).pipe(
            Effect.map(Number),
            Effect.orElseSucceed(() => holdMillis)
          )
          if (left === 0) return askedAt
          // It may be handed back before it is over.
          yield* Effect.sleep(Math.min(left, holdMillis / 6))
        }
      })

      /** Returns when the lease is lost, or may be by now. */
      const keep = Effect.fnUntraced(function* (key: string, holder: string, heldFrom: number) {
        let renewedAt = heldFrom
        let pause = holdMillis / 3
        while (true) {
          const end = renewedAt + holdMillis
          yield* Effect.sleep(Math.max(0, Math.min(pause, end - (yield* Clock.currentTimeMillis))))
          const askedAt = yield* Clock.currentTimeMillis
          if (askedAt >= end) return
          const answer = yield* redis.run("renewLease", renewScript, [key], [holder, holdMillis]).pipe(
            Effect.orElseSucceed(() => "unknown"),
            Effect.timeoutOrElse({ duration: end - askedAt, orElse: () => Effect.succeed("unknown") })
          )
          if (answer === 0) return
          if (answer === 1) renewedAt = askedAt
          pause = answer === 1 ? holdMillis / 3 : holdMillis / 12
        }
      })

      /** Undefined when the lease was lost; the effect has ended in any case. */
      const runWhileKept = <A, E, R>(run: Effect.Effect<A, E, R>, kept: Effect.Effect<void>) =>
        Effect.acquireUseRelease(
          Effect.forkChild(run),
          (fiber): Effect.Effect<Exit.Exit<A, E> | void> => Effect.raceFirst(Fiber.await(fiber), kept),
          (fiber) => Fiber.interrupt(fiber)
        )

      const holdOnce = <A, E, R>(name: string, run: Effect.Effect<A, E, R>) => {
        const key = `${keyPrefixOf(name)}:lease`
        return Effect.acquireUseRelease(
          Effect.sync(() => randomUUID()),
          (holder) => Effect.flatMap(win(key, holder), (heldFrom) => runWhileKept(run, keep(key, holder, heldFrom))),
          // Also when it was never won, as far as is known here: the answer to that may be on its way.
          (holder) => Effect.ignore(redis.run("handBackLease", handBackScript, [key], [holder]))
        )
      }

      return Leases.of({
        whileHolding: Effect.fnUntraced(function* <A, E, R>(name: string, run: Effect.Effect<A, E, R>) {
          while (true) {
            const exit = yield* holdOnce(name, run)
            if (exit !== undefined) return yield* exit
            yield* Effect.logWarning(`The lease of ${name} was lost; what ran under it was stopped`)
          }
        })
      })
    })
  )
