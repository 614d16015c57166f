import type {
  Answers,
  ApiKeyRequest,
  BankAccountRequest,
  DecodeRequest,
  DeliveriesItem,
  EnqueueRequest,
  Issue,
  JobItem,
  NoteRequest,
  V2Code,
  VerificationItem,
  VerifyBankData,
  VerifyRequest,
  VerifyWalletData,
  WalletBatchRequest,
  WalletEnqueueRequest,
  WalletRequest
} from "./api.ts"

export type * from "./api.ts"

/** The data of an operation's answer. */
export type DataOf<Name extends keyof Answers> = Answers[Name]

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

export type Slip = WithSource<VerifyRequest>
export type SlipForLater = WithSource<EnqueueRequest>
export type SlipToDecode = WithSource<DecodeRequest>

/** The picture of a TrueMoney slip. No gateway accepts its QR text. */
export type WalletSlip = ExactlyOne<Omit<Sources, "payload">> & Omit<WalletRequest, keyof Sources>
/** The URL of a TrueMoney slip's picture. */
export type WalletSlipForLater = WalletEnqueueRequest

/** TrueMoney slips of one batch. A slip's own `callbackUrl` replaces the batch's. */
export type WalletSlipBatch = WalletBatchRequest

/** Slips of one batch. A slip's own `callbackUrl` replaces the batch's. */
export interface SlipBatch {
  readonly slips: ReadonlyArray<SlipForLater>
  readonly callbackUrl?: string
}

export type NewBankAccount = BankAccountRequest

type WithData<Result, Data> = Result extends { readonly data: unknown } ? Omit<Result, "data"> & { readonly data: Data }
  : Result

/** A job. The type argument is that of the slip which was enqueued: a bank's by default. */
export type Job<Data extends VerifyBankData | VerifyWalletData = VerifyBankData> = WithData<DataOf<"getJob">, Data>
export type Banks = DataOf<"banks">
export type NewApiKey = ApiKeyRequest
export type CreatedApiKey = DataOf<"createApiKey">
export type NewNote = NoteRequest
export type Delivery = DeliveriesItem

/** Selects a page of a list. */
export interface PageQuery {
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** 1 to 500; 50 by default. */
  readonly limit?: number
}

export interface BankAccountsQuery extends PageQuery {
  /** True: only active accounts. False: only deactivated accounts. */
  readonly isActive?: boolean
}

/** Bounds and order of a list, by the time of its entries. */
export interface TimesQuery {
  /** ISO 8601, or a day of Bangkok such as `2026-11-21`; from its beginning. */
  readonly from?: string
  /** The same; a day counts to its end. */
  readonly to?: string
  readonly order?: "oldest" | "newest"
}

/** The oldest attempts come first by default. */
export interface DeliveriesQuery extends PageQuery, TimesQuery {
  readonly jobId?: string
  readonly status?: Delivery["status"]
}

/** The newest verifications come first by default. All filters apply together. */
export interface VerificationsQuery extends PageQuery, TimesQuery {
  readonly outcome?: VerificationItem["outcome"] | "failed"
  readonly isDuplicate?: boolean
  readonly accepted?: boolean
  /** Baht. */
  readonly minAmount?: number
  readonly maxAmount?: number
  readonly remark?: string
  /** A transRef or transaction id, or `BANK:TRANSREF`. */
  readonly reference?: string
  /** The last six characters of a transRef or transaction id, in any case. */
  readonly referenceEnd?: string
  /** Id of the bank account that matched. */
  readonly bankAccount?: string
}

/** The newest jobs come first by default. */
export interface JobsQuery extends PageQuery, TimesQuery {
  readonly status?: JobItem["status"]
}

/** Days of Bangkok such as `2026-11-21`, at most 92; the newest first by default. */
export interface UsageQuery {
  /** 29 days before `to` by default. */
  readonly from?: string
  /** Today by default. */
  readonly to?: string
  readonly order?: "oldest" | "newest"
}

export interface RotationOptions {
  /** How long the previous secret or key stays valid: at most 604 800, one day by default. */
  readonly overlapSeconds?: number
}

export interface CallOptions {
  /** Cancels the call, also between two tries. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface KeyedOptions extends CallOptions {
  /**
   * The same request with the same key gets the first answer again, also from another process or after a restart. By
   * default each call has a new key, which all of its tries share.
   */
  readonly idempotencyKey?: string
}

/**
 * A code of the service, or the reason why there is no answer of the service: `NETWORK_ERROR`, `TIMEOUT`, or
 * `UNEXPECTED_ANSWER` for an answer of another server, such as a proxy's page.
 */
export type SlipTrailCode = V2Code | "NETWORK_ERROR" | "TIMEOUT" | "UNEXPECTED_ANSWER"

/** Why a call failed. */
export interface Failure {
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: SlipTrailCode
  readonly message: string
  /** What the code and the message do not say, such as the endpoint to use instead. */
  readonly detail?: string
  /**
   * The invalid fields and what is wrong with each: with VALIDATION_ERROR and INVALID_IMAGE_FORMAT, and with every error
   * that refuses a batch.
   */
  readonly issues?: ReadonlyArray<Issue>
  /** Quote it in questions to the operator of the service. */
  readonly requestId?: string
  /** After this time a retry may succeed. */
  readonly retryAfterSeconds?: number
}

/** A call failed, after all its tries. `cause` is the error of the network. */
export class SlipTrailError extends Error {
  override readonly name = "SlipTrailError"
  readonly status: number
  readonly code: SlipTrailCode
  readonly detail: string | undefined
  readonly issues: ReadonlyArray<Issue>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    { code, detail, issues = [], message, requestId, retryAfterSeconds, status }: Failure,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.detail = detail
    this.status = status
    this.code = code
    this.issues = issues
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}
