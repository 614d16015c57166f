import { Context, type Effect, Schema } from "effect"

/** Units of a branch's quota in a calendar month of Asia/Bangkok, one for each verification or job. */
export interface Reservation {
  readonly branchId: string
  /** `yyyy-MM` */
  readonly month: string
  /** The verifications or jobs. A second reservation for the same one takes no further unit. */
  readonly reservationIds: ReadonlyArray<string>
}

export interface QuotaUsage {
  /** Units charged in the month. */
  readonly used: number
  /** Units charged since the branch exists. */
  readonly totalUsed: number
}

/**
 * The holder of a unit starts to append its charge within this many milliseconds, or releases the unit. An engine may
 * give the unit to another request later.
 */
export const HOLD_MILLIS = 10_000

/**
 * Every try of an append that charges starts within this many milliseconds after the holder has asked the engine and
 * learned that the unit is held. After an engine has lost reservations, it waits until no such append can reach the log.
 */
export const CONFIRM_MILLIS = 1_000

/**
 * `not-ready`: the charges in the log are not counted yet, so nothing can be admitted exactly. `held-too-long`: another
 * request may have the unit by now.
 */
export class QuotaError extends Schema.TaggedError<QuotaError>()("QuotaError", {
  reason: Schema.Literals(["not-ready", "unavailable", "held-too-long"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Admission under a monthly quota. The log holds the charges; this port adds the open reservations, so that however
 * many requests race, exactly the remaining quota is admitted.
 */
export class Quota extends Context.Service<Quota, {
  /**
   * Reserves all units in one step when charged, reserved and new units together do not exceed `limit`, and none
   * otherwise. A unit stays reserved until the read model counts its charge, the holder releases it, or the holder died
   * and the model has counted every charge in the log.
   */
  readonly reserve: (
    reservation: Reservation,
    limit: number
  ) => Effect.Effect<"reserved" | "exceeded", QuotaError>
  /** Fails with `held-too-long` when the engine has lost a unit of the reservation. A charged unit is not lost. */
  readonly confirm: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** Gives units back that were not charged. */
  readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** The charges in the log. */
  readonly usage: (branchId: string, month: string) => Effect.Effect<QuotaUsage, QuotaError>
}>()("sliptrail/application/Quota") {}
