import { Data, type Effect } from "effect"
import type { GatewayAnswer, GatewayReply, SlipQuestion } from "../../../ports/bank-gateway.ts"

/** One of the gateways of `BANK_GATEWAYS`. */
export interface Gateway {
  readonly name: string
  /** Whether it is asked about slips of this sending bank at all. */
  readonly answersFor: (sendingBank: string) => boolean
  /** `verify` ends by itself within so many milliseconds. */
  readonly timeoutMillis: number
  readonly verify: (question: SlipQuestion) => Effect.Effect<Omit<GatewayReply, "before">>
  /** Whether the upstream lets this service in; no slip is asked about. */
  readonly check: Effect.Effect<void, NoStatement>
}

/** A clear statement of a bank on a slip, with the body that it stood in; null when that was empty. */
export interface Statement {
  readonly answer: Exclude<GatewayAnswer, { readonly _tag: "Unavailable" }>
  readonly upstream: string | null
}

/** No clear statement was to be had. */
export class NoStatement extends Data.TaggedError("NoStatement")<{
  /** For a person; nothing of what the upstream said stands in it but codes, as it goes into the log in the clear. */
  readonly why: string
  readonly retryAfterSeconds: number
  /** The body that was no clear statement; null when there was none. */
  readonly upstream: string | null
  /**
   * Whether the gateway is in trouble, or is well and can only say nothing of this slip, or nothing was learnt of it.
   * Only trouble shuts its circuit: nobody is to shut a gateway for others with slips that he made up.
   */
  readonly concerns: "gateway" | "slip" | "nobody"
}> {}

/** How long those who ask are told to wait where the upstream does not say: the first step of a job's retries. */
export const RETRY_AFTER_SECONDS = 30

/** Trouble of the gateway, with or without the body that showed it. */
export const inTrouble = (why: string, upstream: string | null = null, retryAfterSeconds = RETRY_AFTER_SECONDS) =>
  new NoStatement({ why, retryAfterSeconds, upstream, concerns: "gateway" })

/** Nothing that can be used was said of this slip, by a gateway that is well. */
export const unusable = (why: string, upstream: string | null) =>
  new NoStatement({ why, retryAfterSeconds: RETRY_AFTER_SECONDS, upstream, concerns: "slip" })
