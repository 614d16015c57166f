import { Context, type Effect } from "effect"
import type { EarlierOutcome } from "../domain/slip/gateway-reply.ts"
import type { Transfer } from "../domain/slip/transfer.ts"
import type { TRUEMONEY } from "../domain/slip/wallet-payload.ts"
import type { ImageFormat } from "./slip-reader.ts"

/** A question about the slip of a bank transfer. */
export interface SlipQuestion {
  /** The branch that asks. Gateways share their places between branches; they do not send it. */
  readonly branchId: string
  readonly sendingBank: string
  readonly transRef: string
  /** The QR text in canonical form. */
  readonly payload: string
  /** When the service received the slip, in milliseconds since 1970; undefined for now. */
  readonly presentedAt?: number | undefined
}

/** A picture of a slip. It is personal data: a gateway sends it to its vendor and keeps nothing of it. */
export interface SlipPicture {
  readonly bytes: Uint8Array
  readonly format: ImageFormat
}

/**
 * A question about a TrueMoney slip. Vendors need its picture. An answer about another transaction than the one in the
 * picture's QR code is not an answer.
 */
export interface WalletQuestion {
  /** As in `SlipQuestion`. */
  readonly branchId: string
  readonly sendingBank: typeof TRUEMONEY
  /** `TW` and the transaction id. */
  readonly transRef: string
  readonly transactionId: string
  readonly picture: SlipPicture
  /** As in `SlipQuestion`. */
  readonly presentedAt?: number | undefined
}

export const isWalletQuestion = (question: SlipQuestion | WalletQuestion): question is WalletQuestion =>
  "picture" in question

/** Why a gateway refuses this installation: its key, the address that the request came from, or the account. */
export type RefusalCause = "key" | "ip" | "account"

/**
 * What a gateway answers about a slip. `NotFound` is a clear statement. Everything unclear (an unknown code, an invalid
 * body, no answer) is `Unavailable`: a slip is never called fake because a gateway was down.
 */
export type GatewayAnswer =
  | { readonly _tag: "Found"; readonly transfer: Transfer }
  | NotFound
  | { readonly _tag: "Pending"; readonly retryAfterSeconds: number }
  | Unavailable
  /** The operator must change a setting, pay, or register an address with the gateway. */
  | {
    readonly _tag: "NotAuthorised"
    readonly cause: RefusalCause
    readonly why: string
    readonly retryAfterSeconds: number
  }
  /** The questions that the operator paid for are used up. */
  | { readonly _tag: "QuotaExhausted"; readonly why: string; readonly retryAfterSeconds: number }

export interface NotFound {
  readonly _tag: "NotFound"
  /** The gateway can be wrong about this slip: a second gateway must agree (docs/banks.md, "What is believed"). */
  readonly isWeak?: boolean
  /** The transfer is older than the records of the gateways: nothing is known about it. */
  readonly isTooOld?: boolean
}

export interface Unavailable {
  readonly _tag: "Unavailable"
  /** For a person. It holds no text of the upstream, because the log stores it in plain text. */
  readonly why: string
  readonly retryAfterSeconds: number
  /** Whether the gateway failed, or only this question. Undefined when this service did. */
  readonly concerns?: "gateway" | "slip"
}

/** The reply of a gateway that did not decide the answer. */
export interface EarlierReply {
  readonly gateway: string
  readonly tookMillis: number
  readonly outcome: EarlierOutcome
  /** For a person. It holds no text of the upstream, because the log stores it in plain text. */
  readonly why: string
}

/** An answer, its gateway and its duration; the trail stores all of it. */
export interface GatewayReply {
  readonly gateway: string
  readonly tookMillis: number
  readonly answer: GatewayAnswer
  /** The body of the upstream's answer, unchanged except for secrets of this service. Null without an answer. */
  readonly upstream: string | null
  /** Gateways that were asked before, in order, and did not decide the answer (setting `BANK_GATEWAYS`). */
  readonly before: ReadonlyArray<EarlierReply>
}

/** The banks. `verify` never fails: a failure is an answer. */
export class BankGateway extends Context.Service<BankGateway, {
  readonly verify: (question: SlipQuestion | WalletQuestion) => Effect.Effect<GatewayReply>
  /** Whether a gateway can verify TrueMoney slips. */
  readonly verifiesWallets: boolean
}>()("sliptrail/application/BankGateway") {}
