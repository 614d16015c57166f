import { Clock, Data, Effect, type Exit, Schedule, type Scope } from "effect"
import { HOLD_MILLIS, Quota, QuotaError, type Reservation } from "../ports/quota.ts"

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
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - reservedAt > HOLD_MILLIS ? Effect.fail(new QuotaError({ reason: "held-too-long" })) : Effect.void)

/**
 * Holds one unit of a branch's quota while `use` runs; where the quota is unlimited there is nothing to hold. `use` is
 * given a check to make right before it appends: a process that was paused may no longer have the unit.
 * Afterwards the unit is charged or given back as `outcome` says; when that is unknown, because the store went away in
 * the middle of an append, `wasCharged` asks the log later. A quota engine that fails at the end costs nobody an answer:
 * the log has the charge, and the engine learns it from there.
 */
export const withQuotaUnit = <A, E, R, E2, R2>(
  reservation: Reservation,
  limit: number | null,
  use: (isInTime: Effect.Effect<void, QuotaError>) => Effect.Effect<A, E, R>,
  options: {
    readonly outcome: (exit: Exit.Exit<A, E>) => Charge
    readonly wasCharged: Effect.Effect<boolean, E2, R2>
    /** What waits for the log ends with it. */
    readonly scope: Scope.Scope
  }
): Effect.Effect<A, E | QuotaExceeded | QuotaError, R | R2 | Quota> => {
  if (limit === null) return use(Effect.void)
  return Effect.flatMap(Quota, (quota) => {
    const settleLater = Effect.sleep(SETTLE_AFTER).pipe(
      Effect.andThen(options.wasCharged),
      Effect.flatMap((charged) => give(quota, reservation, charged ? "charged" : "free")),
      Effect.retry(Schedule.spaced("5 seconds")),
      Effect.forkIn(options.scope)
    )
    const settle = (exit: Exit.Exit<A, E>) => {
      const charge = options.outcome(exit)
      return charge === "unknown"
        ? settleLater
        : Effect.catch(give(quota, reservation, charge), (error) =>
          Effect.logWarning("a quota unit could not be settled; the log will", error))
    }
    return Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (askedAt) =>
        Effect.flatMap(quota.reserve(reservation, limit), (answer) =>
          answer === "exceeded" ? Effect.fail(new QuotaExceeded()) : Effect.succeed(askedAt))),
      (reservedAt) => use(inTimeSince(reservedAt)),
      (_, exit) => settle(exit)
    )
  })
}
