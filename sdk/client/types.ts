import type { ApiError, V2Code } from "../../infrastructure/http/api/failures.ts"
import type { v2Operations } from "../../infrastructure/http/api/operations/all.ts"

type Operations = typeof v2Operations

/** What an operation answers with, as the declaration has it. */
export type DataOf<Name extends keyof Operations> = Operations[Name]["success"]["data"]["Type"]

type BodyOf<Name extends "verifyBank" | "verifyBankAsync" | "createBankAccount" | "changeBankAccount" | "decode"> =
  Operations[Name]["body"]["json"]["Encoded"]

/** A picture of a slip: its bytes, or text that is base64, a data URI or an http(s) URL. */
export type Picture = string | Uint8Array<ArrayBuffer> | Blob

interface Sources {
  readonly payload: string
  readonly image: Picture
  readonly base64: string
  readonly url: string
}

/** One of the fields, and none of the others. */
type ExactlyOne<Fields> = {
  [Name in keyof Fields]:
    & { readonly [Given in Name]: Fields[Given] }
    & { readonly [Other in Exclude<keyof Fields, Name>]?: never }
}[keyof Fields]

type WithSource<Fields> = ExactlyOne<Sources> & Omit<Fields, keyof Sources>

export type Slip = WithSource<BodyOf<"verifyBank">>
export type SlipForLater = WithSource<BodyOf<"verifyBankAsync">>
export type SlipToDecode = WithSource<BodyOf<"decode">>

/** Slips of one batch. A slip's own `callbackUrl` wins. */
export interface SlipBatch {
  readonly slips: ReadonlyArray<SlipForLater>
  readonly callbackUrl?: string
}

export type NewBankAccount = BodyOf<"createBankAccount">
export type BankAccountChange = BodyOf<"changeBankAccount">

export type VerifyBankData = DataOf<"verifyBank">
export type AcceptedJob = DataOf<"verifyBankAsync">
export type AcceptedBatch = DataOf<"verifyBankBatch">
export type Job = DataOf<"getJob">
export type Batch = DataOf<"getBatch">
export type Redelivery = DataOf<"redeliverCallback">
export type Info = DataOf<"info">
export type Banks = DataOf<"banks">
export type BankAccount = DataOf<"getBankAccount">
export type BankAccounts = DataOf<"listBankAccounts">
export type Webhook = DataOf<"getWebhook">
export type RotatedSecret = DataOf<"rotateWebhookSecret">
export type Deliveries = DataOf<"listDeliveries">
export type Decoded = DataOf<"decode">

/** Which page of a list. */
export interface PageQuery {
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** 1 to 500; 50 without it. */
  readonly limit?: number
}

export interface BankAccountsQuery extends PageQuery {
  /** Those alone that are in use, or that no longer are. */
  readonly isActive?: boolean
}

export interface DeliveriesQuery extends PageQuery {
  readonly jobId?: string
  readonly status?: Deliveries["items"][number]["status"]
}

export interface RotationOptions {
  /** How long the previous secret stays good, up to 604 800; a day without it. */
  readonly overlapSeconds?: number
}

export interface CallOptions {
  /** Gives up, also between two tries; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface KeyedOptions extends CallOptions {
  /**
   * The same key for the same request, also from another process or after a restart, is answered as the first time.
   * Without it each call has one of its own, so that its own tries are one request.
   */
  readonly idempotencyKey?: string
}

type Issue = NonNullable<ApiError["issues"]>[number]

/**
 * The service's own code, or what kept its answer away: `NETWORK_ERROR`, `TIMEOUT`, or `UNEXPECTED_ANSWER` for an
 * answer that is none of the service's, such as a proxy's page.
 */
export type SlipTrailCode = V2Code | "NETWORK_ERROR" | "TIMEOUT" | "UNEXPECTED_ANSWER"

/** Why a call came to nothing. */
export interface Failure {
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: SlipTrailCode
  readonly message: string
  /** What is wrong with which field; of VALIDATION_ERROR, and of whatever a batch is refused with. */
  readonly issues?: ReadonlyArray<Issue>
  /** To quote in questions. */
  readonly requestId?: string
  /** When trying again may help. */
  readonly retryAfterSeconds?: number
}

/** A call that came to nothing, after all its tries. `cause` is what the network said. */
export class SlipTrailError extends Error {
  override readonly name = "SlipTrailError"
  readonly status: number
  readonly code: SlipTrailCode
  readonly issues: ReadonlyArray<Issue>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ code, issues = [], message, requestId, retryAfterSeconds, status }: Failure, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
    this.issues = issues
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}
