import { Schema } from "effect"
import type { BankAccountView } from "../../../../application/bank-accounts/list-bank-accounts.ts"
import { AccountType } from "./slip.ts"
import { Count, Id, NextCursor, Time } from "./values.ts"

export const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Health" })

const Quota = Schema.Struct({
  used: Count.annotate({ description: "In this month of Bangkok." }),
  max: Schema.NullOr(Count).annotate({ description: "Null: unlimited." }),
  remaining: Schema.NullOr(Count),
  totalUsed: Count
}).annotate({ identifier: "Quota" })

/** The caller's own application, branch and account (docs/spec/http.md, "GET /v2/info"). */
export const Info = Schema.Struct({
  application: Schema.Struct({
    id: Id,
    name: Schema.String,
    autoRenew: Schema.Struct({ expired: Schema.Literal(false), quota: Schema.Literal(false) }),
    quota: Quota,
    expiresAt: Schema.NullOr(Time)
  }),
  branch: Schema.Struct({
    id: Id,
    name: Schema.String,
    isMain: Schema.Boolean,
    isActive: Schema.Boolean,
    quota: Quota
  }),
  account: Schema.Struct({ email: Schema.NullOr(Schema.String) }),
  product: Schema.Struct({ name: Schema.String })
}).annotate({ identifier: "Info", description: "Who calls. The application's quota is that of all its branches." })

/** The bank list (docs/spec/http.md, "GET /v2/banks"). */
export const Banks = Schema.Array(
  Schema.Struct({
    code: Schema.String.annotate({ description: "What `bankCode` takes: three digits, PROMPTPAY or KSHOP." }),
    nameTh: Schema.String,
    nameEn: Schema.String,
    shortCode: Schema.String,
    extraVerify: Schema.NullOr(Schema.Array(Schema.Struct({ value: Schema.String, label: Schema.String }))).annotate({
      description: "What `extraVerify` takes; null where it takes nothing."
    })
  }).annotate({ identifier: "Bank" })
)

/** A receiving account (docs/spec/http.md, "Bank accounts"). */
const accountFields = {
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
} satisfies Record<keyof BankAccountView, Schema.Top>
export const BankAccount = Schema.Struct(accountFields).annotate({ identifier: "BankAccount" })

export const BankAccountPage = Schema.Struct({ items: Schema.Array(BankAccount), nextCursor: NextCursor }).annotate({
  identifier: "BankAccounts"
})
