import { Data, type Effect } from "effect"
import type { GatewayAnswer, GatewayReply, SlipQuestion } from "../../../ports/bank-gateway.ts"

/** One of the gateways of `BANK_GATEWAYS`. */
export interface Gateway {
  readonly name: string
  /** Whether the gateway is asked about slips of this sending bank. */
  readonly answersFor: (sendingBank: string) => boolean
  /** `verify` ends within this time. */
  readonly timeoutMillis: number
  readonly verify: (question: SlipQuestion) => Effect.Effect<Omit<GatewayReply, "before">>
  /** Checks that the bank accepts the credentials, without asking about a slip. */
  readonly check: Effect.Effect<void, GatewayFailure>
}

/** A definite answer of a bank, with the response body as evidence; null when the body was empty. */
export interface BankAnswer {
  readonly answer: Exclude<GatewayAnswer, { readonly _tag: "Unavailable" }>
  readonly upstream: string | null
}

/** The bank gave no definite answer. */
export class GatewayFailure extends Data.TaggedError("GatewayFailure")<{
  /** For a person. Stored in the log in plain text: holds nothing of the response except codes. */
  readonly why: string
  readonly retryAfterSeconds: number
  /** The response body; null when there was none. */
  readonly upstream: string | null
  /**
   * What failed: the gateway, or only this question, or this service. Only a failure of the gateway counts for its
   * circuit: a caller cannot open the circuit for others with invented slips.
   */
  readonly concerns: "gateway" | "slip" | "service"
}> {}

/** The retry delay when the bank states none: the first step of a job's retries. */
export const RETRY_AFTER_SECONDS = 30

export const gatewayFailed = (why: string, upstream: string | null = null, retryAfterSeconds = RETRY_AFTER_SECONDS) =>
  new GatewayFailure({ why, retryAfterSeconds, upstream, concerns: "gateway" })

/** The gateway works, but its response about this slip is unusable. */
export const slipFailed = (why: string, upstream: string | null) =>
  new GatewayFailure({ why, retryAfterSeconds: RETRY_AFTER_SECONDS, upstream, concerns: "slip" })
