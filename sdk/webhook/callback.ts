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

/** The result of the verification (docs/spec/http.md, "VerifyBankData"). Amounts are baht. */
export interface VerifyBankData {
  /** The remark of the request; absent without one. */
  readonly remark?: string
  /** Whether this slip was verified before. */
  readonly isDuplicate: boolean
  readonly amountInSlip: number
  /** The expected amount of the request; absent without one. */
  readonly amountInOrder?: number
  readonly isAmountMatched?: boolean | undefined
  readonly matchedAccount: MatchedAccount | null
  readonly rawSlip: RawSlip
  readonly verificationId: string
  /** The verification before this one; absent when there was none. */
  readonly duplicate?: {
    readonly firstVerifiedAt: string
    readonly sameBranch: boolean
    readonly count: number
  }
  /** The result of comparing the receiver with the branch's accounts; absent when not requested. */
  readonly match?: {
    readonly account: "match" | "no_match" | "indeterminate"
    /** Several accounts matched equally well. */
    readonly isAmbiguous: boolean
    /** What was compared, with which result, in sentences. */
    readonly reasons: ReadonlyArray<string>
  }
  /** Whether the slip meets all conditions; absent when neither the request nor the branch's policy had any. */
  readonly accepted?: boolean
  /** Each condition that is not met; absent without `accepted`. */
  readonly reasons?: ReadonlyArray<Reason>
  /** The version of the branch's policy that took part; absent without a policy. */
  readonly policyVersion?: number
  /** The personal data of the slip was deleted on request: `rawSlip` has only its amount and time. Absent otherwise. */
  readonly isForgotten?: boolean
}

/** The result of the verification of a TrueMoney slip (docs/spec/http.md, "VerifyWalletData"). */
export interface VerifyWalletData extends Omit<VerifyBankData, "rawSlip"> {
  readonly rawSlip: RawWalletSlip
}

/** The content of a TrueMoney slip. */
export interface RawWalletSlip {
  readonly transactionId: string
  /** ISO 8601 with offset. */
  readonly date: string
  readonly amount: number
  readonly sender: { readonly name: string }
  /** The phone number is partly masked. */
  readonly receiver: { readonly name: string; readonly phone: string }
}

/** A condition that is not met. Use the code, not the message. Later versions may add codes. */
export type Reason =
  | {
    readonly code: "amount_differs" | "amount_too_low" | "amount_too_high"
    readonly message: string
    /** Baht. */
    readonly expected: number
    readonly actual: number
  }
  | {
    readonly code: "transferred_too_early" | "transferred_too_late"
    readonly message: string
    /** The earliest or the latest second that is accepted, ISO 8601 with offset. */
    readonly expected: string
    readonly actual: string
  }
  | {
    readonly code: "sending_bank_not_allowed"
    readonly message: string
    readonly expected: ReadonlyArray<string>
    readonly actual: string
  }
  | {
    readonly code: "receiver_differs" | "receiver_indeterminate" | "duplicate"
    readonly message: string
  }

/** The registered account that the money went to. */
export interface MatchedAccount {
  readonly id: string
  readonly bank: { readonly code: string; readonly nameTh: string; readonly nameEn: string; readonly shortCode: string }
  readonly nameTh: string
  readonly nameEn: string | null
  readonly type: string | null
  readonly bankNumber: string
}

/** The content of the slip (docs/spec/http.md, "rawSlip"). */
export interface RawSlip {
  readonly payload: string
  readonly transRef: string
  /** ISO 8601 with offset. */
  readonly date: string
  readonly countryCode: string
  readonly amount: {
    readonly amount: number
    /** `currency` is the number of ISO 4217, such as `764` for baht. */
    readonly local: { readonly amount: number; readonly currency: string }
  }
  readonly fee: number
  readonly ref1: string
  readonly ref2: string
  readonly ref3: string
  readonly sender: Party
  readonly receiver: Party & { readonly merchantId: string | null }
}

/** The sender or the receiver. Numbers are partly masked. */
export interface Party {
  readonly bank: { readonly id: string; readonly name: string; readonly short: string }
  readonly account: {
    readonly name: { readonly th: string; readonly en?: string }
    readonly bank: { readonly type: string; readonly account: string }
    readonly proxy?: { readonly type: string; readonly account: string }
  }
}
