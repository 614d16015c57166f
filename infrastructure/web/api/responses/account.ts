import { Schema } from "effect"
import { QuotaView } from "../../../../application/views/provisioning.ts"
import { BankAccountView } from "../../../../application/views/bank-account.ts"
import { Id, Time } from "../../../../application/views/values.ts"
import { pageOf } from "../values.ts"

export const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Health" })

/** The caller's own application, branch and account (docs/spec/http.md, "GET /v2/info"). */
export const Info = Schema.Struct({
  application: Schema.Struct({
    id: Id,
    name: Schema.String,
    autoRenew: Schema.Struct({ expired: Schema.Literal(false), quota: Schema.Literal(false) }),
    quota: QuotaView,
    expiresAt: Schema.NullOr(Time)
  }),
  branch: Schema.Struct({
    id: Id,
    name: Schema.String,
    isMain: Schema.Boolean,
    isActive: Schema.Boolean,
    quota: QuotaView
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

export const BankAccount = BankAccountView.annotate({ identifier: "BankAccount" })

export const BankAccountPage = pageOf(BankAccount).annotate({ identifier: "BankAccounts" })
