import { Schema, Struct } from "effect"
import { text } from "../decode-fields.ts"

export const WebhookBody = Schema.Struct({
  url: Schema.NullOr(text(2048)).annotate({ description: "A public https URL; null to call nobody." })
}).annotate({ identifier: "WebhookRequest" })

export const RotateBody = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How long the previous secret stays good, in seconds.",
      default: 86_400
    })
  )
}).annotate({ identifier: "RotateRequest" })

const accountFields = {
  bankCode: Schema.String.annotate({ description: "A code of `GET /v2/banks`.", examples: ["004", "PROMPTPAY"] }),
  bankNumber: text(64).annotate({
    description: "The whole number. Spaces and hyphens are dropped: it is kept as digits.",
    examples: ["999-0-01234-5"]
  }),
  nameTh: text(200),
  nameEn: Schema.NullOr(text(200)),
  type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"])),
  extraVerify: Schema.NullOr(Schema.String).annotate({
    description: "How slips are compared, one of the bank's `extraVerify` values: needed where it has some, null where not."
  })
}

export const BankAccountBody = Schema.Struct({
  ...accountFields,
  nameEn: Schema.optionalKey(accountFields.nameEn),
  type: Schema.optionalKey(accountFields.type),
  extraVerify: Schema.optionalKey(accountFields.extraVerify)
}).annotate({ identifier: "BankAccountRequest" })

export const BankAccountChangeBody = Schema.Struct(Struct.map(accountFields, Schema.optionalKey)).annotate({
  identifier: "BankAccountChange"
})
