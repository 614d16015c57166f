import { Duration, Effect, Layer } from "effect"
import type { EventStore, EventStoreError } from "../../../../ports/event-store.ts"
import { APPEND_TRY_MILLIS } from "../../../../ports/log-waits.ts"
import { CONFIRM_MILLIS, Quota, QuotaError, type Reservation } from "../../../../ports/quota.ts"
import type { ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { SoleWriter } from "../../../../ports/sole-writer.ts"
import { RedisConnection } from "./connection.ts"
import { epochKeyOf, keyPrefixOf, metaKeyOf } from "./keys.ts"
import { makeQuotaEpoch } from "./quota-epoch.ts"
import { listOf, loadScripts, textOf } from "./scripts.ts"

const scripts = loadScripts("quota", "reserve", "confirm", "release", "counts")

/** The model that counts the charges, and time limits. */
export interface RedisQuotaOptions {
  /** Model name of the quota projection, version included. */
  readonly model: string
  /**
   * The time after which a reservation expires, because its holder counts as dead; 60 seconds. It must exceed the time that
   * a unit may be held, and the time to settle an append of unknown outcome.
   */
  readonly holdFor?: Duration.Input
  /**
   * How long no unit is admitted after Redis lost reservations; 2.3 seconds: `CONFIRM_MILLIS`, plus `APPEND_TRY_MILLIS` for a
   * try of an append that started at its end, plus half a second. A sole writer of the log knows when its appends have
   * ended: then it is 1.5 seconds, and a try may take any time.
   */
  readonly gracePeriod?: Duration.Input
}

/**
 * Quota for any number of processes over the read models of one Redis. Each decision is one script that reads the model
 * and the reservations of all processes; the clock is that of Redis.
 *
 * Every operation may be repeated, because it may have taken effect when its answer was lost. A reservation whose holder
 * died expires. Its units become free only after the model has counted the log, in case the charge was appended before.
 */
export const layerQuotaRedis = (
  options: RedisQuotaOptions
): Layer.Layer<Quota, EventStoreError | ReadModelsError, EventStore | ReadModels | RedisConnection> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const { model } = options
      const redis = yield* RedisConnection
      const holdMillis = Duration.toMillis(options.holdFor ?? "60 seconds")
      const tryMillis = (yield* SoleWriter) === undefined ? APPEND_TRY_MILLIS : 0
      const gracePeriodMillis = Duration.toMillis(options.gracePeriod ?? CONFIRM_MILLIS + tryMillis + MARGIN_MILLIS)
      const epoch = yield* makeQuotaEpoch({ model, gracePeriodMillis, waitMillis })
      const [prefix, meta, epochKey] = [keyPrefixOf(model), metaKeyOf(model), epochKeyOf(model)]
      yield* epoch.beginEpoch
      yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.ignore(epoch.beginEpoch), watchMillis)))

      const reservedKey = `${prefix}:reserved`
      const openKeys = ({ limits }: Reservation) => limits.map(({ set }) => `${prefix}:open:${set}`)
      const setsOf = ({ limits }: Reservation) => limits.map(({ set }) => set)

      const tryReserve = Effect.fnUntraced(function* (reservation: Reservation, expiredBefore: string) {
        const confirmed = epoch.admission.epoch()
        const keys = [meta, epochKey, reservedKey, ...openKeys(reservation)]
        const limits = reservation.limits.flatMap(({ limit, set }) => [set, limit])
        const args = [prefix, confirmed, holdMillis, expiredBefore, ...limits, ...reservation.reservationIds]
        return { ...readAnswer(yield* redis.run("reserve", scripts.reserve, keys, args)), confirmed }
      })

      /** Confirms the epoch or drops expired units, and tries again, until there is a decision. */
      const retry = Effect.fnUntraced(
        function* (reservation: Reservation, first: Effect.Success<ReturnType<typeof tryReserve>>) {
          let reply = first
          let expiredBefore = ""
          while (true) {
            if (reply.answer === "reserved" || reply.answer === "exceeded") return reply.answer
            if (reply.answer === "expired") {
              yield* epoch.catchUp
              expiredBefore = String(reply.details[0])
            } else yield* epoch.admission.renew(reply.confirmed)
            reply = yield* tryReserve(reservation, expiredBefore)
          }
        }
      )

      const reserve = Effect.fnUntraced(function* (reservation: Reservation) {
        const first = yield* tryReserve(reservation, "")
        if (first.answer === "reserved" || first.answer === "exceeded") return first.answer
        return yield* withinWait(retry(reservation, first))
      }, Effect.mapError(toQuotaError))

      const confirm = Effect.fnUntraced(function* (reservation: Reservation) {
        const args = [prefix, holdMillis, ...setsOf(reservation), ...reservation.reservationIds]
        const answer = yield* redis.run("confirm", scripts.confirm, [meta, ...openKeys(reservation)], args)
        if (answer !== 1) return yield* new QuotaError({ reason: "held-too-long" })
      }, Effect.mapError(toQuotaError))

      const release = (reservation: Reservation) =>
        redis.run("release", scripts.release, [reservedKey, ...openKeys(reservation)], [
          ...setsOf(reservation),
          ...reservation.reservationIds
        ]).pipe(Effect.asVoid, Effect.mapError(toQuotaError))

      const countAll = Effect.fnUntraced(function* (sets: ReadonlyArray<string>) {
        while (true) {
          const confirmed = epoch.counting.epoch()
          const reply = readAnswer(
            yield* redis.run("usage", scripts.counts, [meta, epochKey], [prefix, confirmed, ...sets])
          )
          if (reply.answer === "counted") return reply.details.map(Number)
          yield* epoch.counting.renew(confirmed)
        }
      })

      const usage = (sets: ReadonlyArray<string>) => Effect.mapError(withinWait(countAll(sets)), toQuotaError)

      return Quota.of({ reserve, confirm, release, usage })
    })
  )

const waitMillis = 2_000

/** A loss that no request notices is noticed after this time, so that the grace period begins early. */
const watchMillis = 500

const MARGIN_MILLIS = 500

const withinWait = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E | QuotaError, R> =>
  Effect.timeoutOrElse(run, {
    duration: waitMillis,
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
