import { Clock, Data, Effect, type Exit, Schedule, type Scope } from "effect"
import { HOLD_MILLIS, Quota, QuotaError, type Reservation } from "../../ports/quota.ts"

/** The branch has used its quota of the month up. */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<{}> {}

/** How the use of a reserved unit ended: charged in the log, not charged, or nobody knows yet. */
export type Charge = "charged" | "free" | "unknown"

/** How long after an append of unknown outcome the log is asked what came of it. */
const SETTLE_AFTER = "30 seconds"

const give = (quota: Quota["Service"], reservation: Reservation, charge: "charged" | "free") =>
  charge === "charged" ? quota.confirm(reservation) : quota.release(reservation)

/** Fails once the unit has been held for too long to be charged. */
const inTimeSince = (reservedAt: number) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => now - reservedAt > HOLD_MILLIS ? Effect.fail(new QuotaError({ reason: "held-too-long" })) : Effect.void
  )

/** Takes a unit for each, or none at all. */
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
    // What can't be given back now is forgotten by the engine, as its holder never confirms it.
    Effect.onError(() => Effect.forEach(taken, (one) => Effect.ignore(quota.release(one)), { discard: true }))
  )
})

/** How the units end. */
export interface Settling<A, E, E2, R2> {
  readonly outcome: (exit: Exit.Exit<A, E>, reservation: Reservation) => Charge
  readonly wasCharged: (reservation: Reservation) => Effect.Effect<boolean, E2, R2>
  /** What waits for the log ends with it. */
  readonly scope: Scope.Scope
}

/**
 * Holds units of a branch's quota while `use` runs, all of them or none; where the quota is unlimited there is nothing
 * to hold. `use` is given a check to make right before it appends: a process that was paused may no longer have them.
 * Afterwards each is charged or given back as `outcome` says; when that is unknown, because the store went away in
 * the middle of an append, `wasCharged` asks the log later. A quota engine that fails at the end costs nobody an answer:
 * the log has the charge, and the engine learns it from there.
 */
export const withQuotaUnits = <A, E, R, E2, R2>(
  reservations: ReadonlyArray<Reservation>,
  limit: number | null,
  use: (isInTime: Effect.Effect<void, QuotaError>) => Effect.Effect<A, E, R>,
  { outcome, scope, wasCharged }: Settling<A, E, E2, R2>
): Effect.Effect<A, E | QuotaExceeded | QuotaError, R | R2 | Quota> => {
  if (limit === null) return use(Effect.void)
  return Effect.flatMap(Quota, (quota) => {
    const settleLater = (reservation: Reservation) =>
      Effect.sleep(SETTLE_AFTER).pipe(
        Effect.andThen(wasCharged(reservation)),
        Effect.flatMap((charged) => give(quota, reservation, charged ? "charged" : "free")),
        Effect.retry(Schedule.spaced("5 seconds")),
        Effect.forkIn(scope)
      )
    const settle = (exit: Exit.Exit<A, E>, reservation: Reservation) => {
      const charge = outcome(exit, reservation)
      return charge === "unknown"
        ? settleLater(reservation)
        : Effect.catch(give(quota, reservation, charge), (error) =>
          Effect.logWarning("a quota unit could not be settled; the log will", error))
    }
    return Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (askedAt) => Effect.as(reserveAll(quota, reservations, limit), askedAt)),
      (reservedAt) => use(inTimeSince(reservedAt)),
      (_, exit) => Effect.forEach(reservations, (one) => settle(exit, one), { discard: true })
    )
  })
}

/** The same with one unit. */
export const withQuotaUnit = <A, E, R, E2, R2>(
  reservation: Reservation,
  limit: number | null,
  use: (isInTime: Effect.Effect<void, QuotaError>) => Effect.Effect<A, E, R>,
  { outcome, scope, wasCharged }: {
    readonly outcome: (exit: Exit.Exit<A, E>) => Charge
    readonly wasCharged: Effect.Effect<boolean, E2, R2>
    readonly scope: Scope.Scope
  }
) => withQuotaUnits([reservation], limit, use, { outcome, wasCharged: () => wasCharged, scope })
