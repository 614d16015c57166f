import { Clock, Duration, Effect, type Exit, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Instance, Leases } from "../../../../ports/leases.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { Claims, ClaimUnknown } from "../../../../ports/claims.ts"
import type { ReadModelsError } from "../../../../ports/read-models.ts"
import { loadScripts } from "./scripts.ts"

const scripts = loadScripts("lease", "acquire", "renew", "release")

/** How the names of holders of this process begin (`own`), and with an identity those of earlier processes too. */
const holderPrefixes = Effect.map(Instance, (instance) => {
  const owner = instance === undefined ? "" : `${instance}/`
  return { owner, own: `${owner}${randomUUID()}/` }
})

export interface RedisLeasesOptions {
  /** How long a lease lasts without a renewal; 6 seconds. It is renewed three times in that time. */
  readonly holdFor?: Duration.Input
}

/**
 * Leases among all processes on one Redis. When a holder dies, another process gets the lease after it expires. A holder
 * that cannot reach Redis stops its work before the lease expires.
 */
export const layerLeasesRedis = (options: RedisLeasesOptions = {}): Layer.Layer<Leases, never, RedisConnection> =>
  Layer.effect(
    Leases,
    Effect.gen(function* () {
      const redis = yield* RedisConnection
      const holdMillis = Duration.toMillis(options.holdFor ?? "6 seconds")
      const { own, owner } = yield* holderPrefixes

      /** Waits for the lease. Returns the time of the request that got it. A failure is logged once. */
      const acquire = Effect.fnUntraced(function* (key: string, holder: string) {
        let hasFailed = false
        const unanswered = (error: ReadModelsError) => {
          const warning = hasFailed ? Effect.void : Effect.logWarning("Redis gives no lease, so its work waits", error)
          hasFailed = true
          return Effect.as(Effect.annotateLogs(warning, { lease: key }), holdMillis)
        }
        while (true) {
          const requestedAt = yield* Clock.currentTimeMillis
          const left = yield* redis.run("acquireLease", scripts.acquire, [key], [holder, holdMillis, owner, own]).pipe(
            Effect.map(Number),
            Effect.catch(unanswered)
          )
          if (left === 0) return requestedAt
          // The holder may release it before it expires.
          yield* Effect.sleep(Math.min(left, holdMillis / 6))
        }
      })

      /** Renews the lease. Returns when it is lost, or may be lost. */
      const renewUntilLost = Effect.fnUntraced(function* (key: string, holder: string, heldFrom: number) {
        let renewedAt = heldFrom
        let pause = holdMillis / 3
        while (true) {
          const end = renewedAt + holdMillis
          yield* Effect.sleep(Math.max(0, Math.min(pause, end - (yield* Clock.currentTimeMillis))))
          const requestedAt = yield* Clock.currentTimeMillis
          if (requestedAt >= end) return
          const answer = yield* redis.run("renewLease", scripts.renew, [key], [holder, holdMillis]).pipe(
            Effect.orElseSucceed(() => "unknown"),
            Effect.timeoutOrElse({ duration: end - requestedAt, orElse: () => Effect.succeed("unknown") })
          )
          if (answer === 0) return
          if (answer === 1) renewedAt = requestedAt
          pause = answer === 1 ? holdMillis / 3 : holdMillis / 12
        }
      })

      /** Returns undefined when the lease was lost. The effect has ended in both cases. */
      const runWhileHeld = <A, E, R>(run: Effect.Effect<A, E, R>, lost: Effect.Effect<void>) =>
        Effect.acquireUseRelease(
          Effect.forkChild(run),
          (fiber): Effect.Effect<Exit.Exit<A, E> | void> => Effect.raceFirst(Fiber.await(fiber), lost),
          (fiber) => Fiber.interrupt(fiber)
        )

      const holdOnce = <A, E, R>(name: string, run: Effect.Effect<A, E, R>) => {
        const key = `${keyPrefixOf(name)}:lease`
        return Effect.acquireUseRelease(
          Effect.sync(() => own + randomUUID()),
          (holder) =>
            Effect.flatMap(
              acquire(key, holder),
              (heldFrom) => runWhileHeld(run, renewUntilLost(key, holder, heldFrom))
            ),
          // Runs even if no request succeeded: the answer to the last one may have been lost.
          (holder) => Effect.ignore(redis.run("handBackLease", scripts.release, [key], [holder]))
        )
      }

      return Leases.of({
        whileHolding: Effect.fnUntraced(function* <A, E, R>(name: string, run: Effect.Effect<A, E, R>) {
          while (true) {
            const exit = yield* holdOnce(name, run)
            if (exit !== undefined) return yield* exit
            yield* Effect.logWarning(`The lease of ${name} was lost; its work was stopped`)
          }
        })
      })
    })
  )

/**
 * Claims among all processes on one Redis, by its clock. Each claim has its own key and so its own slot: the claims are
 * spread over the nodes of a Cluster.
 */
export const layerClaimsRedis: Layer.Layer<Claims, never, RedisConnection> = Layer.effect(
  Claims,
  Effect.gen(function* () {
    const redis = yield* RedisConnection
    const { own: holder, owner } = yield* holderPrefixes
    /** When each claim of this process expires. Redis distinguishes processes, not their fibers. */
    const claimed = new Map<string, number>()

    const claim = Effect.fnUntraced(function* (name: string, forMillis: number) {
      const now = yield* Clock.currentTimeMillis
      if (now < (claimed.get(name) ?? -Infinity)) return false
      claimed.set(name, now + forMillis)
      const left = yield* redis.run("claim", scripts.acquire, [keyOf(name)], [holder, forMillis, owner, holder]).pipe(
        // After a lost answer the request can be repeated: Redis gives the claim to the same holder again.
        Effect.mapError(() => new ClaimUnknown()),
        Effect.onExit((exit) => Effect.sync(() => exit._tag === "Success" ? undefined : void claimed.delete(name)))
      )
      if (left === 0) return true
      claimed.delete(name)
      return false
    })

    const release = (name: string) =>
      Effect.suspend(() => {
        claimed.delete(name)
        return Effect.ignore(redis.run("giveBackClaim", scripts.release, [keyOf(name)], [holder]))
      })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => Effect.forEach([...claimed.keys()], release, { concurrency: "unbounded", discard: true }))
    )
    return Claims.of({ claim, release })
  })
)

const keyOf = (name: string): string => `${keyPrefixOf(name)}:claim`
