import { Schema, SchemaTransformation, Struct } from "effect"
import type { BankAccountFields } from "../../../domain/bank-account/fields.ts"
import { text } from "../../input/decode.ts"

/** Separators and a leading + are for the eye. How long a number has to be, its bank tells. */
const BankNumber = Schema.String.check(
  Schema.makeFilter(
    (written: string) =>
      /^\+?\d{1,20}$/u.test(written.replace(/[\s\p{Pd}]/gu, "")) || "Expected 1 to 20 digits, none of them hidden",
    { toJsonSchema: () => [{ minLength: 1 }, true] }
  )
).annotate({
  description: "The whole number, 1 to 20 digits as its bank has them. Spaces, hyphens and a leading + are dropped.",
  examples: ["999-0-01234-5"]
})

/** What is described is the text as it comes, with whatever is around it. */
const name = (description: string) =>
  Schema.String.annotate({ description: `${description} 1 to 100 characters, without the spaces around them.` }).pipe(
    Schema.decodeTo(Schema.String.check(Schema.isBetweenLength(1, 100)), SchemaTransformation.trim())
  )

const accountFields = {
  bankCode: Schema.String.annotate({ description: "A code of `GET /v2/banks`.", examples: ["004", "PROMPTPAY"] }),
  bankNumber: BankNumber,
  nameTh: name("The holder's name as the bank writes it."),
  nameEn: Schema.NullOr(name("The same in English.")),
  type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"])).annotate({ description: "A person or a company." }),
  extraVerify: Schema.NullOr(Schema.String).annotate({
    description: "How slips are compared, one of the bank's `extraVerify` values: needed where it has some, null "
      + "where not."
  })
} satisfies Record<keyof BankAccountFields, Schema.Top>

/** A new receiving account (docs/spec/http.md, "Bank accounts"). */
export const BankAccountBody = Schema.Struct(
  Struct.mapOmit(accountFields, ["bankCode", "bankNumber", "nameTh"], Schema.optionalKey)
).annotate({ identifier: "BankAccountRequest" })

/** A change of one: an absent field keeps its value. */
export const BankAccountChangeBody = Schema.Struct(
  Struct.map(accountFields, Schema.optionalKey)
).annotate({ identifier: "BankAccountChange" })

/** The branch's default webhook URL (docs/spec/http.md, "GET /v2/webhook"). */
export const WebhookBody = Schema.Struct({
  url: Schema.NullOr(text(2048)).annotate({ description: "A public https URL; null to call nobody." })
}).annotate({ identifier: "WebhookRequest" })
