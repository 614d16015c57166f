import { Clock, Data, Effect, Schedule, Scope } from "effect"
import { CONFIRM_MILLIS, HOLD_MILLIS, Quota, QuotaError, type Reservation } from "../../ports/quota.ts"

/** A limit of the branch has no units left. */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<{}> {}

/** Units of a branch's quota that a request holds until its scope closes. */
export interface HeldUnits {
  /**
   * Runs an append that may charge the unit of `reservationId`. `isCharged` reads the result; undefined means that the
   * result does not tell. Without a result the log is asked later.
   *
   * The append runs its argument right before each try. That fails with `held-too-long`, and nothing is sent, when the
   * unit may already belong to another request: the engine has lost the reservation, or the unit is held for too long.
   */
  readonly charge: <A, E, R>(
    reservationId: string,
    append: (beforeAppend: BeforeAppend | undefined) => Effect.Effect<A, E, R>,
    isCharged: (result: A) => boolean | undefined
  ) => Effect.Effect<A, E, R>
}

export type BeforeAppend = Effect.Effect<void, QuotaError>

export interface QuotaHold<E, R> {
  readonly reservation: Reservation
  /** Whether the log holds the charge of a reservation. */
  readonly wasCharged: (reservationId: string) => Effect.Effect<boolean, E, R>
  /** The scope of the request. The units are held until it closes. */
  readonly scope: Scope.Scope
  /** The scope of the service: an append of unknown outcome is settled after the request has ended. */
  readonly serviceScope: Scope.Scope
}

const unlimited: HeldUnits = { charge: (_, append) => append(undefined) }

/**
 * Holds one unit for each reservation id, all or none, until the scope closes. Then the units that were not charged are
 * released; the read model counts the charged ones. If the store failed in the middle of an append, the log decides
 * later. A quota engine that fails at the end does not fail the request. Rule: docs/spec/http.md, "Charging".
 */
export const holdQuotaUnits = <E, R>(hold: QuotaHold<E, R>) =>
  hold.reservation.limits.length === 0 ? Effect.succeed(unlimited) : holdLimitedUnits(hold)

const holdLimitedUnits = Effect.fnUntraced(function* <E, R>(hold: QuotaHold<E, R>) {
  const { reservation, scope, serviceScope, wasCharged } = hold
  const quota = yield* Quota
  const release = (reservationIds: ReadonlyArray<string>) =>
    reservationIds.length === 0 ? Effect.void : quota.release({ ...reservation, reservationIds })
  const charges = new Map<string, boolean | undefined>()

  const settleLater = (reservationId: string) =>
    Effect.sleep(SETTLE_AFTER).pipe(
      Effect.andThen(wasCharged(reservationId)),
      Effect.flatMap((charged) => charged ? Effect.void : release([reservationId])),
      Effect.retry(Schedule.spaced("5 seconds")),
      Effect.forkIn(serviceScope)
    )
  const settle = Effect.gen(function* () {
    const stateOf = (id: string) => charges.has(id) ? charges.get(id) ?? "unknown" : false
    const ids = reservation.reservationIds
    yield* Effect.forEach(ids.filter((id) => stateOf(id) === "unknown"), settleLater, { discard: true })
    yield* Effect.catch(
      release(ids.filter((id) => stateOf(id) === false)),
      (error) => Effect.logWarning("Quota units could not be released; they expire in the quota engine", error)
    )
  })
  /** When the engine was last asked, and said that the units are held. */
  let confirmedAt = 0
  const reserve = Effect.gen(function* () {
    const reservedAt = confirmedAt = yield* Clock.currentTimeMillis
    if ((yield* quota.reserve(reservation)) === "exceeded") return yield* new QuotaExceeded()
    return reservedAt
  })
  const reservedAt = yield* Effect.acquireRelease(reserve, () => settle).pipe(Scope.provide(scope))

  const checkInTime = Effect.fnUntraced(function* (since: number, limitMillis: number) {
    const now = yield* Clock.currentTimeMillis
    if (now - since > limitMillis) return yield* new QuotaError({ reason: "held-too-long" })
    return now
  })
  const beforeAppend = Effect.gen(function* () {
    const now = yield* checkInTime(reservedAt, HOLD_MILLIS)
    if (now - confirmedAt <= CONFIRM_MILLIS) return
    yield* quota.confirm(reservation)
    yield* checkInTime(now, CONFIRM_MILLIS)
    confirmedAt = now
  })
  const held: HeldUnits = {
    charge: (reservationId, append, isCharged) => {
      const check = Effect.tap(beforeAppend, Effect.sync(() => charges.set(reservationId, undefined)))
      return Effect.tap(append(check), (result) => Effect.sync(() => charges.set(reservationId, isCharged(result))))
    }
  }
  return held
})

/** An append whose outcome is unknown is in the log by then, or never will be. */
const SETTLE_AFTER = "30 seconds"
