import type { Effect, Scope } from "effect"
import type { SlipState } from "../../domain/slip/slip.ts"
import type { UnchargedLimitExceeded } from "../../ports/uncharged-limiter.ts"
import type { Loaded } from "../events/handle-command.ts"
import type { Charge } from "../quota/charge.ts"

/** The unit that a success costs. */
export interface QuotaUnit extends Charge {
  /** Runs before a free repeat is appended. */
  readonly beforeRepeat: Effect.Effect<void, UnchargedLimitExceeded>
  /** Runs before a bank is asked. A question may cost money, also when it finds no slip. */
  readonly beforeQuestion: Effect.Effect<void, UnchargedLimitExceeded>
}

/** A slip while its verifications in the service wait for this one. */
export interface LockedSlip {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly slipDigest: string
  readonly tailDigest: string
  readonly stream: string
  /** The record of the event that has what the bank answered when it did not find the slip. */
  readonly failureRecord: string
  /** The events of the slip, as far as they are known. */
  readonly loaded: Loaded<SlipState>
  readonly scope: Scope.Scope
  readonly serviceScope: Scope.Scope
}
