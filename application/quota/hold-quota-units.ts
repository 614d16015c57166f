import { Clock, Data, Effect, Schedule, type Scope } from "effect"
import { HOLD_MILLIS, Quota, QuotaError, type Reservation } from "../../ports/quota.ts"

/** The branch has no units left in this month. */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<{}> {}

/** Units of a branch's quota that a request holds until its scope closes. */
export interface HeldUnits {
  /**
   * Fails with `held-too-long` when the units may already belong to another request: a process that was paused wakes up
   * late. Check right before an append.
   */
  readonly checkInTime: Effect.Effect<void, QuotaError>
  /**
   * Runs an append that may charge the unit of `reservationId`. `isCharged` reads the result; undefined means that the
   * result does not tell. Without a result the log is asked later.
   */
  readonly charge: <A, E, R>(
    reservationId: string,
    append: Effect.Effect<A, E, R>,
    isCharged: (result: A) => boolean | undefined
  ) => Effect.Effect<A, E, R>
}

export interface QuotaHold<E, R> {
  readonly reservations: ReadonlyArray<Reservation>
  /** Units of the month; null is unlimited. */
  readonly limit: number | null
  /** Whether the log holds the charge of a reservation. */
  readonly wasCharged: (reservation: Reservation) => Effect.Effect<boolean, E, R>
  /** The scope of the service: an append of unknown outcome is settled after the request has ended. */
  readonly serviceScope: Scope.Scope
}

const unlimited: HeldUnits = { checkInTime: Effect.void, charge: (_, append) => append }

/**
 * Holds one unit for each reservation, all or none, until the scope closes. Then each unit is charged or released. If
 * the store failed in the middle of an append, the log decides later. A quota engine that fails at the end does not
 * fail the request: the charge is in the log, and the engine reads it from there. Rule: docs/spec/http.md, "Charging".
 */
export const holdQuotaUnits = Effect.fnUntraced(function* <E, R>(hold: QuotaHold<E, R>) {
  const { limit, reservations, serviceScope, wasCharged } = hold
  if (limit === null) return unlimited
  const quota = yield* Quota
  const charges = new Map<string, boolean | undefined>()

  const settle = (reservation: Reservation) => {
    const { reservationId } = reservation
    const charged = charges.get(reservationId)
    return charges.has(reservationId) && charged === undefined
      ? Effect.asVoid(Effect.forkIn(settleLater(quota, reservation, wasCharged), serviceScope))
      : Effect.catch(
        end(quota, reservation, charged === true),
        (error) => Effect.logWarning("A quota unit could not be settled; the quota engine reads it from the log", error)
      )
  }
  const reservedAt = yield* Effect.acquireRelease(
    Effect.tap(Clock.currentTimeMillis, reserveAll(quota, reservations, limit)),
    () => Effect.forEach(reservations, settle, { discard: true })
  )

  const held: HeldUnits = {
    checkInTime: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => now - reservedAt > HOLD_MILLIS ? Effect.fail(new QuotaError({ reason: "held-too-long" })) : Effect.void
    ),
    charge: (reservationId, append, isCharged) =>
      Effect.suspend(() => {
        charges.set(reservationId, undefined)
        return Effect.tap(append, (result) => Effect.sync(() => charges.set(reservationId, isCharged(result))))
      })
  }
  return held
})

const end = (quota: Quota["Service"], reservation: Reservation, charged: boolean) =>
  charged ? quota.confirm(reservation) : quota.release(reservation)

/** Reserves a unit for each, or none. */
const reserveAll = Effect.fnUntraced(function* (
  quota: Quota["Service"],
  reservations: ReadonlyArray<Reservation>,
  limit: number
) {
  const taken: Array<Reservation> = []
  yield* Effect.gen(function* () {
    for (const reservation of reservations) {
      if ((yield* quota.reserve(reservation, limit)) === "exceeded") return yield* new QuotaExceeded()
      taken.push(reservation)
    }
  }).pipe(
    // A unit that cannot be released now expires in the engine, because its holder never confirms it.
    Effect.onError(() => Effect.forEach(taken, (one) => Effect.ignore(quota.release(one)), { discard: true }))
  )
})

/** An append whose outcome is unknown is in the log by then, or never will be. */
const SETTLE_AFTER = "30 seconds"

const settleLater = <E, R>(
  quota: Quota["Service"],
  reservation: Reservation,
  wasCharged: QuotaHold<E, R>["wasCharged"]
) =>
  Effect.sleep(SETTLE_AFTER).pipe(
    Effect.andThen(wasCharged(reservation)),
    Effect.flatMap((charged) => end(quota, reservation, charged)),
    Effect.retry(Schedule.spaced("5 seconds"))
  )
