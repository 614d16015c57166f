import { Schema } from "effect"
import { AccountType } from "../../domain/bank-account/fields.ts"
import { Id, Time } from "./values.ts"

/** A receiving account of a service (docs/spec/http.md, "Bank accounts"). */
export const BankAccountView = Schema.Struct({
  id: Id,
  bankCode: Schema.String,
  bankNumber: Schema.String.annotate({ description: "Digits alone." }),
  nameTh: Schema.String,
  nameEn: Schema.NullOr(Schema.String),
  type: Schema.NullOr(AccountType),
  extraVerify: Schema.NullOr(Schema.String),
  ref1: Schema.optionalKey(Schema.String).pipe(
    Schema.annotateKey({ description: "The reference of a merchant of a biller; absent without one." })
  ),
  merchantId: Schema.optionalKey(Schema.String).pipe(
    Schema.annotateKey({ description: "The bank's number of a merchant of a biller; absent without one." })
  ),
  isActive: Schema.Boolean,
  createdAt: Time,
  updatedAt: Time
})
export type BankAccountView = typeof BankAccountView.Type
