import { Context, type Effect } from "effect"
import type { Transfer } from "../domain/slip/transfer.ts"

export interface SlipQuestion {
  readonly sendingBank: string
  readonly transRef: string
  /** The QR text in canonical form. */
  readonly payload: string
}

/**
 * What a bank says of a slip. `NotFound` is a statement of the bank; whatever is no clear statement (an unknown code,
 * nonsense, silence) is `Unavailable`: a slip is never called fake because a bank was down.
 */
export type GatewayAnswer =
  | { readonly _tag: "Found"; readonly transfer: Transfer }
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "Pending"; readonly retryAfterSeconds: number }
  | { readonly _tag: "Unavailable"; readonly why: string; readonly retryAfterSeconds: number }

/** A gateway that was asked and gave no clear statement. */
export interface Passed {
  readonly gateway: string
  readonly tookMillis: number
  /** For a person; nothing of what the upstream said stands in it, as it goes into the log in the clear. */
  readonly why: string
}

/** An answer with where it came from and how long it took; all of it goes into the trail. */
export interface GatewayReply {
  readonly gateway: string
  readonly tookMillis: number
  readonly answer: GatewayAnswer
  /** The body of the upstream's answer, untouched: evidence, and personal data. Null when there was none. */
  readonly upstream: string | null
  /** Who was asked before, in that order, when the first gave no clear statement (setting `BANK_GATEWAYS`). */
  readonly before: ReadonlyArray<Passed>
}

/** The banks. Asking never fails: trouble is an answer. */
export class BankGateway extends Context.Service<BankGateway, {
  readonly verify: (question: SlipQuestion) => Effect.Effect<GatewayReply>
}>()("sliptrail/application/BankGateway") {}
