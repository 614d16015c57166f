import { Context, type Effect, Schema } from "effect"

/** One unit of a branch's quota in a calendar month of Asia/Bangkok, on behalf of one verification or job. */
export interface Reservation {
  readonly branchId: string
  /** `yyyy-MM` */
  readonly month: string
  /** The verification or job it is for: asking twice for the same one takes one unit. */
  readonly reservationId: string
}

export interface QuotaUsage {
  /** Units charged in the month. */
  readonly used: number
  /** Units charged since the branch exists. */
  readonly totalUsed: number
}

/**
 * Whoever holds a unit begins to append its charge within so many milliseconds, or gives it back: engines may forget
 * holders that they have not heard of for longer.
 */
export const HOLD_MILLIS = 10_000

/**
 * `not-ready`: the charges in the log are not counted yet, so nothing can be admitted exactly. `held-too-long`: the
 * unit may be somebody else's by now.
 */
export class QuotaError extends Schema.TaggedError<QuotaError>()("QuotaError", {
  reason: Schema.Literals(["not-ready", "unavailable", "held-too-long"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Admission under a monthly quota. What is charged is a fact in the log; this port adds what is under way, so that
 * of any number of concurrent requests exactly as many are admitted as the quota has left.
 */
export class Quota extends Context.Service<Quota, {
  /** Takes a unit if fewer than `limit` are charged or reserved; `null` is unlimited. */
  readonly reserve: (
    reservation: Reservation,
    limit: number | null
  ) => Effect.Effect<"reserved" | "exceeded", QuotaError>
  /** The charge is in the log now. The unit stays taken until the read model counts it. */
  readonly confirm: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** Gives the unit back. A unit whose holder died without confirming is given back by itself. */
  readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** What the log says is charged. */
  readonly usage: (branchId: string, month: string) => Effect.Effect<QuotaUsage, QuotaError>
}>()("sliptrail/application/Quota") {}
