import { Context, type Effect } from "effect"
import type { Transfer } from "../../domain/slip/transfer.ts"

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

/** An answer with where it came from and how long it took; both go into the trail. */
export interface GatewayReply {
  readonly gateway: string
  readonly tookMillis: number
  readonly answer: GatewayAnswer
}

/** The banks. Asking never fails: trouble is an answer. */
export class BankGateway extends Context.Service<BankGateway, {
  readonly verify: (question: SlipQuestion) => Effect.Effect<GatewayReply>
}>()("sliptrail/application/BankGateway") {}
