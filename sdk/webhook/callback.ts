/**
 * A callback as it arrives (docs/spec/http.md, "Callback"). These types import nothing, so a receiver can use them
 * without the service. Later versions may add fields. The type argument is that of the slips which were enqueued: banks'
 * by default, `VerifyWalletData` for TrueMoney slips, or both.
 */
export type Callback<Data extends VerifyBankData | VerifyWalletData = VerifyBankData> =
  | SuccessCallback<Data>
  | NotFoundCallback

interface Job {
  /** A UUID. The same job may arrive more than once: process the first and answer the others in the same way. */
  readonly jobId: string
  /** Null for a slip that was enqueued alone. */
  readonly batchId: string | null
  /** Time of the result, ISO 8601. */
  readonly timestamp: string
}

/** The slip was verified. */
export interface SuccessCallback<Data extends VerifyBankData | VerifyWalletData = VerifyBankData> extends Job {
  readonly status: "success"
  readonly data: Data
}

/** The slip could not be verified, and no further attempt follows. `error` says why. */
export interface NotFoundCallback extends Job {
  readonly status: "not_found"
  readonly error: {
    readonly code: string
    readonly message: string
    /** What the code and the message do not say, such as the endpoint to use instead. */
    readonly detail?: string
    /** Why a picture could not be read. */
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  }
}

// What follows is written by `npm run docs:client` from the declaration of the API.

export interface AmountReason {
  readonly code: "amount_differs" | "amount_too_low" | "amount_too_high"
  /** What it means, and what to do. */ readonly message: string
  readonly expected: number
  readonly actual: number
}

export interface BankReason {
  readonly code: "sending_bank_not_allowed"
  /** What it means, and what to do. */ readonly message: string
  readonly expected: ReadonlyArray<string>
  readonly actual: string
}

export interface MaskedNumber {
  /** Kind of the number: BANKAC, or MSISDN, NATID, EWALLETID, BILLERID … */ readonly type: string
  /** The number, partly masked with x. */ readonly account: string
}

/** The registered account that the money went to. */
export interface MatchedAccount {
  readonly id: string
  readonly bank: {
    readonly code: string
    readonly nameTh: string
    readonly nameEn: string
    readonly shortCode: string
  }
  readonly nameTh: string
  readonly nameEn: string | null
  readonly type: "PERSONAL" | "JURISTIC" | null
  readonly bankNumber: string
}

export interface PlainReason {
  readonly code: "receiver_differs" | "receiver_indeterminate" | "duplicate"
  /** What it means, and what to do. */ readonly message: string
}

/** What the bank says of the transfer. */
export interface RawSlip {
  /** The text of the QR code. */ readonly payload: string
  /** Reference of the transfer; with the sending bank it says which slip it is. */ readonly transRef: string
  /** When the money was sent. */ readonly date: string
  readonly countryCode: string
  readonly amount: {
    /** Baht. */ readonly amount: number
    readonly local: {
      readonly amount: number
      /** Number of ISO 4217; 764 is baht. */ readonly currency: string
    }
  }
  readonly fee: number
  readonly ref1: string
  readonly ref2: string
  readonly ref3: string
  readonly sender: Sender
  readonly receiver: Receiver
}

/** What the gateway says of the transfer. */
export interface RawWalletSlip {
  /** TrueMoney's id of the transfer, as in the QR code. */ readonly transactionId: string
  /** When the money was sent. */ readonly date: string
  /** Baht. */ readonly amount: number
  readonly sender: { readonly name: string }
  readonly receiver: {
    readonly name: string
    /** The phone number of the wallet, partly masked. */ readonly phone: string
  }
}

export type Reason = AmountReason | TimeReason | BankReason | PlainReason

export interface Receiver extends Sender {
  /** Number of a biller; null when there is none. */ readonly merchantId: string | null
}

export interface Sender {
  readonly bank: SlipBank
  readonly account: {
    readonly name: { readonly th: string; readonly en?: string }
    readonly bank: MaskedNumber
    /** A PromptPay or biller number, where the bank gives one. */ readonly proxy?: MaskedNumber
  }
}

/** A bank as the slip names it; empty texts where nothing is known. */
export interface SlipBank {
  /** Code of the bank, three digits; empty when it is not known. */ readonly id: string
  readonly name: string
  readonly short: string
}

export interface TimeReason {
  readonly code: "transferred_too_early" | "transferred_too_late"
  /** What it means, and what to do. */ readonly message: string
  /** The earliest or the latest second that is accepted. */ readonly expected: string
  readonly actual: string
}

/** What was found out about a slip. */
export type VerifyBankData = VerifyDataFields & { readonly rawSlip: RawSlip }

export interface VerifyDataFields {
  /** As it was sent along. */ readonly remark?: string
  /** Whether any branch of the service has verified this slip before. */ readonly isDuplicate: boolean
  /** Baht. */ readonly amountInSlip: number
  /** `matchAmount`, where it was given. */ readonly amountInOrder?: number
  /** Only with `matchAmount`. */ readonly isAmountMatched?: boolean
  readonly matchedAccount: MatchedAccount | null
  /** Name of this verification, for questions about it later. */ readonly verificationId: string
  /** Of the verifications before this one; only when `isDuplicate`. */ readonly duplicate?: {
    readonly firstVerifiedAt: string
    /** Whether it was this branch that verified it first. */ readonly sameBranch: boolean
    /** How often the slip was verified, this time included. */ readonly count: number
  }
  /** What came of comparing the receiver; only with `matchAccount` or `bankCode`. */ readonly match?: {
    /** `indeterminate`: what the slip shows neither proves nor rules out an account. */
    readonly account: "match" | "no_match" | "indeterminate"
    /** Several accounts matched equally well; the one that was linked first was taken. */ readonly isAmbiguous: boolean
    /** What was compared and what came of it, in words to act on. */ readonly reasons: ReadonlyArray<string>
  }
  /** Whether the slip meets all conditions; only when the request or the branch's policy has some. */
  readonly accepted?: boolean
  /** Each condition that is not met; only with `accepted`. */ readonly reasons?: ReadonlyArray<Reason>
  /** The version of the branch's policy that took part; only when there was one. */ readonly policyVersion?: number
  /** Only there when the slip's personal data was deleted on request. */ readonly isForgotten?: true
}

/** What was found out about a TrueMoney slip. */
export type VerifyWalletData = VerifyDataFields & { readonly rawSlip: RawWalletSlip }
