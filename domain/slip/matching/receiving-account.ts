import { Schema } from "effect"
import { AccountType, type BankAccountFields } from "../../bank-account/fields.ts"

/** A receiving account of a branch, with the fields that are compared with a slip. */
export interface ReceivingAccount
  extends Pick<BankAccountFields, "bankCode" | "bankNumber" | "nameTh" | "nameEn" | "extraVerify"> {
  readonly id: string
  /** Only of a merchant of a biller, as in `BankAccountFields`. */
  readonly ref1?: string
  readonly merchantId?: string
}

/** An account that a request's conditions list as a receiver. It belongs to no branch. */
export const ListedReceiver = Schema.Struct({
  bankCode: Schema.String,
  /** Digits only. */
  bankNumber: Schema.String,
  /** Empty when unknown. */
  nameTh: Schema.String,
  nameEn: Schema.NullOr(Schema.String),
  extraVerify: Schema.NullOr(Schema.String),
  ref1: Schema.optionalKey(Schema.String),
  merchantId: Schema.optionalKey(Schema.String)
})
export type ListedReceiver = typeof ListedReceiver.Type

/**
 * Which of the branch's accounts are compared, and how. Without both: all accounts, each with its own `extraVerify`.
 */
export interface AccountQuestion {
  readonly bankCode: string | undefined
  readonly extraVerify: string | undefined
}

/** `indeterminate`: what the slip shows neither proves nor rules out any account. */
export type AccountVerdict = "match" | "no_match" | "indeterminate"

/**
 * The result of comparing the receiver of a slip with a branch's accounts, complete as the caller received it, so that
 * the log can answer it again (docs/spec/http.md, "Matching an account").
 */
export const Matching = Schema.Struct({
  verdict: Schema.Literals(["match", "no_match", "indeterminate"]),
  isAmbiguous: Schema.Boolean,
  reasons: Schema.Array(Schema.String),
  /** The account that matched. */
  account: Schema.NullOr(Schema.Struct({
    id: Schema.String,
    bankCode: Schema.String,
    bankNumber: Schema.String,
    nameTh: Schema.String,
    nameEn: Schema.NullOr(Schema.String),
    type: Schema.NullOr(AccountType)
  }))
})
export type Matching = typeof Matching.Type

/** The result of comparing one account. */
export interface Finding {
  readonly account: ReceivingAccount
  readonly verdict: AccountVerdict
  /** Visible digits that agree with its number; -1 when some disagree. */
  readonly digits: number
  /** The reason of the verdict, a clause for a person. */
  readonly because: string
}
