import { Effect, Schema } from "effect"
import { invalid } from "../api-error.ts"
import { decodeFields, text } from "../decode-fields.ts"
import { type Exchange } from "../endpoint.ts"
import { queryOf } from "../page.ts"

/** Spaces, hyphens and a leading + are for the eye; of what length a number is, its bank tells. */
const BankNumber = Schema.String.check(
  Schema.makeFilter((written: string) =>
    /^\+?\d{1,20}$/u.test(written.replace(/[\s\p{Pd}]/gu, "")) || "Expected 1 to 20 digits, and nothing hidden by x or *"
  )
)

/** A name of 1 to 100 characters that are not all spaces. */
const Name = text(100).check(
  Schema.makeFilter((name: string) => name.trim() !== "" || "Expected a name")
)

const required = { bankCode: Schema.String, bankNumber: BankNumber, nameTh: Name }
const nullable = {
  nameEn: Schema.NullOr(Name),
  type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"])),
  extraVerify: Schema.NullOr(Schema.String)
}

/** Bodies of bank accounts (contract, "Bank accounts"). */
export const decodeRegistration = decodeFields(Schema.Struct({
  ...required,
  nameEn: Schema.optionalKey(nullable.nameEn),
  type: Schema.optionalKey(nullable.type),
  extraVerify: Schema.optionalKey(nullable.extraVerify)
}))
