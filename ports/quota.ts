import { Context, type Effect, Schema } from "effect"

/** A set of the quota's read model, whose members are the charges that it counts, and how many of them are allowed. */
export interface QuotaLimit {
  readonly set: string
  readonly limit: number
}

/** One unit for each verification or job, held against every limit. */
export interface Reservation {
  readonly limits: ReadonlyArray<QuotaLimit>
  /** The verifications or jobs. A second reservation for the same one takes no further unit. */
  readonly reservationIds: ReadonlyArray<string>
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
 * Admission under the limits of a branch. The log holds the charges; this port adds the open reservations, so that however
 * many requests race, exactly what each limit leaves is admitted.
 */
export class Quota extends Context.Service<Quota, {
  /**
   * Reserves all units in one step when charged, reserved and new units together exceed no limit, and none otherwise. In
   * each set a unit stays reserved until the read model counts its charge, the holder releases it, or the holder died and
   * the model has counted every charge in the log.
   */
  readonly reserve: (reservation: Reservation) => Effect.Effect<"reserved" | "exceeded", QuotaError>
  /** Fails with `held-too-long` when the engine has lost a unit of the reservation. A charged unit is not lost. */
  readonly confirm: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** Gives units back that were not charged. */
  readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaError>
  /** The number of charges in the log, for each set. */
  readonly usage: (sets: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, QuotaError>
}>()("sliptrail/application/Quota") {}
