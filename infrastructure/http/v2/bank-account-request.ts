import { Effect, Schema } from "effect"
import type { BankAccountFields } from "../../../domain/bank-account-fields.ts"
import { invalid } from "../api-error.ts"
import type { Body, Fields } from "../body.ts"
import { decodeFields } from "../decode-fields.ts"
import type { Exchange } from "../endpoint.ts"
import { queryOf } from "../page.ts"

/** Separators and a leading + are for the eye. How long a number has to be, its bank tells. */
const BankNumber = Schema.String.check(
  Schema.makeFilter((written: string) =>
    /^\+?\d{1,20}$/u.test(written.replace(/[\s\p{Pd}]/gu, "")) || "Expected 1 to 20 digits, none of them hidden"
  )
)

const Name = Schema.Trim.check(Schema.isBetweenLength(1, 100))

const NameEn = Schema.NullOr(Name)
const Type = Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"]))
const ExtraVerify = Schema.NullOr(Schema.String)

const decodeRegistration = decodeFields(Schema.Struct({
  bankCode: Schema.String,
  bankNumber: BankNumber,
  nameTh: Name,
  nameEn: Schema.optionalKey(NameEn),
  type: Schema.optionalKey(Type),
  extraVerify: Schema.optionalKey(ExtraVerify)
}))

const decodeChange = decodeFields(Schema.Struct({
  bankCode: Schema.optionalKey(Schema.String),
  bankNumber: Schema.optionalKey(BankNumber),
  nameTh: Schema.optionalKey(Name),
  nameEn: Schema.optionalKey(NameEn),
  type: Schema.optionalKey(Type),
  extraVerify: Schema.optionalKey(ExtraVerify)
}))

/** Judges the body of a new account (contract, "Bank accounts"); what belongs together is judged with the bank. */
export const parseRegistration = Effect.fnUntraced(function*({ fields }: Body) {
  const { extraVerify = null, nameEn = null, type = null, ...rest } = yield* decodeRegistration(fields)
  return { ...rest, nameEn, type, extraVerify } satisfies BankAccountFields
})

/** Judges the body of a change: an absent field keeps its value, null clears it where that may be. */
export const parseChange = ({ fields }: { readonly fields: Fields }) => decodeChange(fields)

/** `isActive` of the list. */
export const parseIsActive = (exchange: Exchange) => {
  const given = queryOf(exchange).get("isActive")
  if (given === null) return Effect.succeed(undefined)
  return given === "true" || given === "false"
    ? Effect.succeed(given === "true")
    : Effect.fail(invalid({ path: "isActive", message: "Expected true or false" }))
}
