import { Context, type Effect } from "effect"
import type { Transfer } from "../domain/slip/transfer.ts"

export interface SlipQuestion {
  readonly sendingBank: string
  readonly transRef: string
  /** The QR text in canonical form. */
  readonly payload: string
}

/**
 * What a bank answers about a slip. `NotFound` is a clear answer of the bank. Everything unclear (an unknown code, an
 * invalid body, no answer) is `Unavailable`: a slip is never called fake because a bank was down.
 */
export type GatewayAnswer =
  | { readonly _tag: "Found"; readonly transfer: Transfer }
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "Pending"; readonly retryAfterSeconds: number }
  | { readonly _tag: "Unavailable"; readonly why: string; readonly retryAfterSeconds: number }

/** The reply of a gateway that gave no clear answer. */
export interface InconclusiveReply {
  readonly gateway: string
  readonly tookMillis: number
  /** For a person. It holds no text of the upstream, because the log stores it in plain text. */
  readonly why: string
}

/** An answer, its gateway and its duration; the trail stores all of it. */
export interface GatewayReply {
  readonly gateway: string
  readonly tookMillis: number
  readonly answer: GatewayAnswer
  /** The unchanged body of the upstream's answer: evidence and personal data. Null without an answer. */
  readonly upstream: string | null
  /** Gateways that were asked before, in order, and gave no clear answer (setting `BANK_GATEWAYS`). */
  readonly before: ReadonlyArray<InconclusiveReply>
}

/** The banks. `verify` never fails: a failure is an answer. */
export class BankGateway extends Context.Service<BankGateway, {
  readonly verify: (question: SlipQuestion) => Effect.Effect<GatewayReply>
}>()("sliptrail/application/BankGateway") {}
