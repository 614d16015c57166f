import { Duration, Effect, Layer } from "effect"
import type { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { HOLD_MILLIS, Quota, QuotaError, type Reservation } from "../../../ports/quota.ts"
import { ReadModels, type ReadModelsError } from "../../../ports/read-models.ts"
import { RedisConnection } from "./connection.ts"
import { makeQuotaStanding } from "./quota-epoch.ts"
import { listOf, loadScripts, textOf } from "./scripts.ts"

const scripts = loadScripts("quota", "reserve", "release", "counts")

/** Where the projection of the charges keeps them, and how long things may take. */
export interface RedisQuotaOptions {
  /** Model name of the quota projection, version included. */
  readonly model: string
  /** The set of a month, whose members are the ids of the reservations charged in it. */
  readonly monthSet: (branchId: string, month: string) => string
  /** The set of a branch's months, each `yyyy-MM`. */
  readonly monthsSet: (branchId: string) => string
  /**
   * After so long a holder is taken for dead; 60 seconds. Longer than anybody holds a unit, and than it takes to find
   * out what came of an append of unknown outcome.
   */
  readonly holdFor?: Duration.Input
  /**
   * How long nothing is admitted after Redis lost what was reserved; 15 seconds: `HOLD_MILLIS`, and what the append
   * takes that was begun in the last of them.
   */
  readonly graceFor?: Duration.Input
}

/**
 * Quota for any number of processes over the read models of one Redis. Each decision is one script, in which Redis looks
 * at the model and at the reservations of all processes; the clock is that of Redis.
 *
 * All operations may be repeated, as they may have taken effect when their answer is lost. What is held by a process
 * that died runs out. It is given to others only when the model has counted everything in the log, in case the charge
 * was appended before.
 */
export const layerQuotaRedis = (
  options: RedisQuotaOptions
): Layer.Layer<Quota, EventStoreError | ReadModelsError, EventStore | ReadModels | RedisConnection> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const { model, monthSet, monthsSet } = options
      const models = yield* ReadModels
      const redis = yield* RedisConnection
      const holdMillis = Duration.toMillis(options.holdFor ?? "60 seconds")
      const graceMillis = Duration.toMillis(options.graceFor ?? HOLD_MILLIS + appendMillis)
      const standing = yield* makeQuotaStanding({ model, graceMillis, patienceMillis })
      const { keys, prefix } = standing
      yield* standing.begin

      const unitKeys = (set: string) => [`${prefix}:open:${set}`, `${prefix}:reserved`]

      const tryReserve = Effect.fnUntraced(
        function* (set: string, ids: ReadonlyArray<string>, limit: number, expiredBefore: string) {
          const proven = standing.admission.proven()
          const reply = yield* redis.run("reserve", scripts.reserve, [keys.meta, keys.epoch, ...unitKeys(set)], [
            prefix,
            set,
            limit,
            proven,
            holdMillis,
            expiredBefore,
            ...ids
          ])
          return { ...readAnswer(reply), proven }
        }
      )

      const reserve = Effect.fnUntraced(
        function* ({ branchId, month, reservationIds }: Reservation, limit: number) {
          const set = monthSet(branchId, month)
          let expiredBefore = ""
          while (true) {
            const reply = yield* tryReserve(set, reservationIds, limit, expiredBefore)
            if (reply.answer === "reserved" || reply.answer === "exceeded") return reply.answer
            if (reply.answer === "expired") {
              yield* standing.catchUp
              expiredBefore = String(reply.details[0])
            } else if (reply.answer === "behind") yield* standing.awaitBack(String(reply.details[0]))
            else yield* standing.admission.renew(reply.proven)
          }
        },
        impatiently,
        Effect.mapError(toQuotaError)
      )

      const release = ({ branchId, month, reservationIds }: Reservation) => {
        const set = monthSet(branchId, month)
        return redis.run("release", scripts.release, unitKeys(set), [set, ...reservationIds]).pipe(
          Effect.asVoid,
          Effect.mapError(toQuotaError)
        )
      }

      const countAll = Effect.fnUntraced(function* (sets: ReadonlyArray<string>) {
        while (true) {
          const proven = standing.counting.proven()
          const reply = readAnswer(
            yield* redis.run("usage", scripts.counts, [keys.meta, keys.epoch], [prefix, proven, ...sets])
          )
          if (reply.answer === "counted") return reply.details.map(Number)
          if (reply.answer === "behind") yield* standing.awaitBack(String(reply.details[0]))
          else yield* standing.counting.renew(proven)
        }
      })

      const usage = Effect.fnUntraced(function* (branchId: string, month: string) {
        const months = yield* models.members(model, monthsSet(branchId))
        const [used = 0, ...all] = yield* impatiently(
          countAll([month, ...months.map(({ member }) => member)].map((each) => monthSet(branchId, each)))
        )
        return { used, totalUsed: all.reduce((total, count) => total + count, 0) }
      }, Effect.mapError(toQuotaError))

      return Quota.of({ reserve, release, usage })
    })
  )

const patienceMillis = 2_000

/** Three tries of a second each, and the ways. */
const appendMillis = 5_000

const impatiently = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E | QuotaError, R> =>
  Effect.timeoutOrElse(run, {
    duration: patienceMillis,
    orElse: () => Effect.fail(new QuotaError({ reason: "not-ready" }))
  })

const readAnswer = (reply: unknown): { readonly answer: string; readonly details: ReadonlyArray<unknown> } => {
  const [answer, ...details] = listOf(reply)
  return { answer: textOf(answer), details }
}

const toQuotaError = (cause: ReadModelsError | EventStoreError | QuotaError): QuotaError =>
  cause._tag === "QuotaError"
    ? cause
    : new QuotaError({ reason: cause.reason === "behind" ? "not-ready" : "unavailable", cause })
