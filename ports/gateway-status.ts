import { Context, type Effect } from "effect"
import type { RefusalCause } from "./bank-gateway.ts"

/** What a vendor says about the operator's account. */
export interface VendorAccount {
  /** Questions that are left; null when there is no limit. */
  readonly remaining: number | null
  /** Questions of the package; null when unknown. */
  readonly limit: number | null
  /** End of the package, in milliseconds since 1970; null when unknown. */
  readonly expiresAt: number | null
}

/** Why a gateway is not asked: consecutive failures, or it refuses the operator's account. */
export type PauseCause = "failures" | RefusalCause | "quota"

/** A gateway as this process sees it. */
export interface GatewayStatus {
  readonly name: string
  /** Set while the circuit is open. `leftMillis` is 0 when the next question tests the gateway. */
  readonly pause?: { readonly cause: PauseCause; readonly leftMillis: number }
  /** What the vendor said last; undefined before its first answer, and for a gateway without an account. */
  readonly account?: VendorAccount
  /** What this process asked and the gateway charged on this day in Bangkok; undefined when questions are free. */
  readonly chargedToday?: number
  /** Price of one question in baht; undefined when free or unknown. */
  readonly price?: number
}

/** The gateways of this process, in the order of `BANK_GATEWAYS`. */
export class GatewayStatuses extends Context.Service<GatewayStatuses, {
  readonly all: Effect.Effect<ReadonlyArray<GatewayStatus>>
  /** Asks the vendors for the operator's accounts, regularly and free of charge. Runs until it is interrupted. */
  readonly follow: Effect.Effect<void>
}>()("sliptrail/application/GatewayStatuses") {}
