import { Schema, SchemaTransformation, Struct } from "effect"
import { AccountType, type BankAccountFields } from "../../../../domain/bank-account/fields.ts"
import { isKShopReference, K_SHOP_ADVICE } from "../../../../domain/bank-account/k-shop.ts"
import { BooleanText, field, isTextUpTo, text } from "../values.ts"

/** Separators and a leading + are allowed for readability. The required length depends on the bank. */
const BankNumber = Schema.String.check(
  Schema.makeFilter(
    (written: string) => {
      if (isKShopReference(written)) return K_SHOP_ADVICE
      return /^\+?\d{1,20}$/u.test(written.replace(/[\s\p{Pd}]/gu, ""))
        || "Expected 1 to 20 digits, none of them hidden"
    },
    { toJsonSchema: () => [{ minLength: 1 }, true] }
  )
).annotate({
  description: "The whole number, 1 to 20 digits as its bank has them. Spaces, hyphens and a leading + are dropped.",
  examples: ["999-0-01234-5"]
})

/** Its form depends on the bank. */
const MerchantText = Schema.NullOr(text(40))

/** The description is of the text before trimming. */
const name = (description: string) =>
  Schema.String.annotate({ description: `${description} 1 to 100 characters, without the spaces around them.` }).pipe(
    Schema.decodeTo(Schema.String.check(isTextUpTo(100)), SchemaTransformation.trim())
  )

/** The fields of an account in a request. */
export const accountFields = {
  bankCode: Schema.String.annotate({ description: "A code of `GET /v2/banks`.", examples: ["004", "PROMPTPAY"] }),
  bankNumber: BankNumber,
  nameTh: name("The holder's name as the bank writes it."),
  nameEn: Schema.NullOr(name("The same in English.")),
  ref1: MerchantText.annotate({
    description: "The reference (ref1) of the merchant's QR code, for a biller whose number several merchants have. "
      + "`bankNumber` is then the biller id. For K SHOP: `KB` and 12 digits.",
    examples: ["KB000001234567"]
  }),
  merchantId: MerchantText.annotate({
    description: "The merchant's number at its bank, as `rawSlip.receiver.merchantId` shows it. For a biller as `ref1`."
  }),
  type: Schema.NullOr(AccountType).annotate({ description: "A person or a company." }),
  extraVerify: Schema.NullOr(Schema.String).annotate({
    description: "How slips are compared, one of the bank's `extraVerify` values: needed where it has some, null "
      + "where not."
  })
} satisfies Record<keyof BankAccountFields, Schema.Top>

/** A new receiving account (docs/spec/http.md, "Bank accounts"). */
export const BankAccountRequest = Schema.Struct(
  Struct.mapOmit(accountFields, ["bankCode", "bankNumber", "nameTh"], Schema.optionalKey)
).annotate({ identifier: "BankAccountRequest" })

/** A change of an account: an absent field keeps its value. */
export const BankAccountChangeRequest = Schema.Struct(
  Struct.map(accountFields, Schema.optionalKey)
).annotate({ identifier: "BankAccountChange" })

/** The filter for listing the accounts of a branch. */
export const BankAccountQuery = Schema.Struct({
  isActive: field(BooleanText, "Those alone that are in use, or those that no longer are; without it all of them.")
})
