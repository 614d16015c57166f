import { Data, type Effect } from "effect"
import type {
  GatewayAnswer,
  GatewayReply,
  RefusalCause,
  SlipQuestion,
  WalletQuestion
} from "../../../../ports/bank-gateway.ts"
import type { GatewayStatus, VendorAccount } from "../../../../ports/gateway-status.ts"

/** What can be believed of a gateway's answers (docs/banks.md, "What is believed"). */
export interface GatewayTraits {
  /** Gateways of one family ask the same source: their answers count as one. */
  readonly family: string
  /** Whether the gateway knows the slips of all sending banks that it serves, so that it can speak for the others. */
  readonly knowsAllSlips: boolean
  /** What the vendor charges besides slips that it finds for the first time; undefined when questions are free. */
  readonly charges: Charges | undefined
  /** How long after a transfer the gateway may not know it yet, in milliseconds. */
  readonly windowMillis: (sendingBank: string) => number
  /** How long after a transfer the gateway knows it, in milliseconds. */
  readonly recordMillis: (sendingBank: string) => number
}

/** What a vendor charges. An unknown practice counts as charged: the metrics then show the upper bound. */
export interface Charges {
  /** A slip that it does not know. */
  readonly notFound: boolean
  /** A slip that it found before for the same account. */
  readonly repeat: boolean
}

/** The gateway of a bank: some slips only, no fee, and the setting `PENDING_BANKS` holds its windows. */
export const bankTraits = (name: string): GatewayTraits => ({
  family: name,
  knowsAllSlips: false,
  charges: undefined,
  windowMillis: () => 0,
  recordMillis: () => Number.POSITIVE_INFINITY
})

/** One of the gateways of `BANK_GATEWAYS`. */
export interface Gateway {
  readonly name: string
  readonly traits: GatewayTraits
  /** Whether the gateway is asked about slips of this sending bank, or of the wallet `TRUEMONEY`. */
  readonly answersFor: (sendingBank: string) => boolean
  /** `verify` ends within this time. */
  readonly timeoutMillis: number
  readonly verify: (question: SlipQuestion | WalletQuestion) => Effect.Effect<Omit<GatewayReply, "before">>
  /** Checks that the bank accepts the credentials, without asking about a slip. */
  readonly check: Effect.Effect<void, GatewayFailure>
  /** The operator's account, where the vendor has a free question for it. */
  readonly account?: Effect.Effect<VendorAccount, GatewayFailure>
  /**
   * Asks for the account, sets its metrics, and opens or closes the circuit by it. Present where `account` is. Its failure
   * changes nothing unless the account is refused.
   */
  readonly pollAccount?: Effect.Effect<void, GatewayFailure>
  readonly status: (now: number) => GatewayStatus
}

/** A definite answer of a bank, with the response body as evidence; null when the body was empty. */
export interface BankAnswer {
  readonly answer: Extract<GatewayAnswer, { readonly _tag: "Found" | "NotFound" | "Pending" }>
  readonly upstream: string | null
  /** Whether the vendor charged the question, where its answer says so. Otherwise `Charges` decides. */
  readonly isCharged?: boolean
  /** The operator's account, where the vendor's answer contains it. */
  readonly account?: VendorAccount
}

/** The bank gave no definite answer. */
export class GatewayFailure extends Data.TaggedError("GatewayFailure")<{
  /** For a person. Stored in the log in plain text: holds nothing of the response except codes. */
  readonly why: string
  readonly retryAfterSeconds: number
  /** The response body; null when there was none. */
  readonly upstream: string | null
  /**
   * What failed: the gateway, or only this question, or this service, or a source behind the gateway, such as the bank
   * that a vendor asks. Failures of the gateway count for its circuit, and those of a source for different slips. A caller
   * cannot open the circuit for others with invented slips.
   */
  readonly concerns: "gateway" | "slip" | "service" | "source"
  /** Set when the gateway refuses the operator's account: nothing is answered until the operator acts. */
  readonly refusal?: RefusalCause | "quota"
}> {}

/** The retry delay when the bank states none: the first step of a job's retries. */
export const RETRY_AFTER_SECONDS = 30

export const gatewayFailed = (why: string, upstream: string | null = null, retryAfterSeconds = RETRY_AFTER_SECONDS) =>
  new GatewayFailure({ why, retryAfterSeconds, upstream, concerns: "gateway" })

/** The gateway works, but its response about this slip is unusable. */
export const slipFailed = (why: string, upstream: string | null) =>
  new GatewayFailure({ why, retryAfterSeconds: RETRY_AFTER_SECONDS, upstream, concerns: "slip" })

/** The gateway refuses the operator's account. `why` says what to do. */
export const refused = (refusal: RefusalCause | "quota", why: string, upstream: string | null = null) =>
  new GatewayFailure({ why, retryAfterSeconds: REFUSED_MILLIS / 1_000, upstream, concerns: "gateway", refusal })

/** How long a gateway that refuses the account is not asked. */
export const REFUSED_MILLIS = 600_000
