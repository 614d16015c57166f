import { Result, Schema } from "effect"
import { type BankRefused, resolveBank } from "../bank.ts"
import type { Complete } from "../decider.ts"
import { isKShopReference, K_SHOP_ADVICE, kShopNumber } from "./k-shop.ts"
import { Sealed } from "../sealed.ts"

// All fields of an account are declared here (docs/spec/http.md, "Bank accounts"). A new field must be
// `Schema.optionalKey(Schema.NullOr(…))`, because old events lack it: absent means null.

/** A person or a company. */
export const AccountType = Schema.Literals(["PERSONAL", "JURISTIC"])

/** Personal data. These fields are sealed together; the log never contains them in plain text. */
export const personalFields = {
  /** As the caller wrote it; only digits after `checkFields`. */
  bankNumber: Schema.String,
  nameTh: Schema.String,
  nameEn: Schema.NullOr(Schema.String),
  /** The reference of the merchant's QR code. The account is then one merchant of the biller `bankNumber`. */
  ref1: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The number that the bank gave the merchant. The account is then one merchant of the biller `bankNumber`. */
  merchantId: Schema.optionalKey(Schema.NullOr(Schema.String))
}

const clearFields = {
  type: Schema.NullOr(AccountType),
  /** One of the bank's `extraVerify` values; null where the bank has none. */
  extraVerify: Schema.NullOr(Schema.String)
}

/** The fields of an account in an event or a row, without the bank code. */
export const contentFields = {
  /** JSON of the personal fields. */
  details: Sealed,
  ...clearFields
}

const allFields = {
  /** A code of the bank list. */
  bankCode: Schema.String,
  ...personalFields,
  ...clearFields
}

type TypeOf<Fields extends Schema.Struct.Fields> = Schema.Struct<Fields>["Type"]

/** A receiving account, as a branch registers it. */
export type BankAccountFields = Complete<TypeOf<typeof allFields>>
export type PersonalFields = Pick<BankAccountFields, keyof typeof personalFields>
export type BankAccountContent = Complete<TypeOf<typeof contentFields>>

/** The fields to change. Absent fields stay as they are. */
export type BankAccountChange = { readonly [Field in keyof BankAccountFields]?: BankAccountFields[Field] | undefined }

/** The same fields. Those that may be null may also be absent. */
type Source<Fields> =
  & { readonly [Name in keyof Fields as null extends Fields[Name] ? never : Name]: Fields[Name] }
  & { readonly [Name in keyof Fields as null extends Fields[Name] ? Name : never]?: Fields[Name] | undefined }

/** Picks the named fields of a value, in the order of their declaration. An absent field becomes null. */
const pick = <Fields>(names: object) => (source: Source<Fields>): Fields => {
  const values: Readonly<Record<string, unknown>> = source
  return Object.fromEntries(Object.keys(names).map((name) => [name, values[name] ?? null])) as Fields
}

export const fieldsOf = pick<BankAccountFields>(allFields)
export const contentOf = pick<BankAccountContent>(contentFields)
export const personalOf = pick<PersonalFields>(personalFields)

const areEqual = <Fields>(names: object, one: Fields, other: Fields): boolean =>
  Object.keys(names).every((name) => one[name as keyof Fields] === other[name as keyof Fields])

export const isSamePersonal = (one: PersonalFields, other: PersonalFields): boolean =>
  areEqual(personalFields, one, other)

export const isSameContent = (one: BankAccountContent, other: BankAccountContent): boolean =>
  one.details.c === other.details.c && areEqual(clearFields, one, other)

/** A number does not have the form of its kind. The message says what is expected. */
export class BankNumberRefused extends Schema.TaggedError<BankNumberRefused>()("BankNumberRefused", {
  field: Schema.Literals(["bankNumber", "ref1", "merchantId"]),
  message: Schema.String
}) {}

interface Kind {
  readonly pattern: RegExp
  readonly expected: string
}

const phone: Kind = { pattern: /^0\d{9}$/u, expected: "a phone number of 10 digits that begins with 0 (or with 66)" }
const nationalId: Kind = { pattern: /^\d{13}$/u, expected: "a national or tax id of 13 digits" }
const wallet: Kind = { pattern: /^\d{15}$/u, expected: "an e-Wallet id of 15 digits" }
const shop: Kind = { pattern: /^\d{10,20}$/u, expected: "a biller or shop number of 10 to 20 digits" }
const biller: Kind = {
  pattern: /^\d{15}$/u,
  expected: "the biller id of 15 digits, because ref1 or merchantId is given"
}
const account: Kind = { pattern: /^\d{10,15}$/u, expected: "the whole account number, 10 to 15 digits" }

const proxies: Readonly<Record<string, Kind>> = { MSISDN: phone, NATID: nationalId, EWALLETID: wallet }

const isBiller = ({ merchantId, ref1 }: BankAccountFields): boolean => ref1 !== null || merchantId !== null

const kindOf = (fields: BankAccountFields): Kind => {
  const { bankCode, extraVerify } = fields
  if (bankCode === "KSHOP") return shop
  if (isBiller(fields)) return biller
  return bankCode === "PROMPTPAY" ? proxies[extraVerify ?? ""] ?? phone : account
}

/** Spaces and hyphens of any width, as people write them in numbers. */
const SEPARATORS = /[\s\p{Pd}]/gu

/** `+66`, `66` and `0066` stand for the leading `0` of a national number. */
const COUNTRY = /^(?:\+|00)?66(?=\d{9}$)/u

/**
 * Normalizes a number to digits for storage (docs/spec/http.md, "Bank accounts"). All spellings of a phone number give
 * the same digits; otherwise it could be registered twice. The lengths that a kind allows are generous: a rejected
 * number could never match a slip.
 *
 * `extraVerify` must be valid for the bank.
 */
const bankNumber = (fields: BankAccountFields): Result.Result<string, BankNumberRefused> => {
  const kind = kindOf(fields)
  const plain = fields.bankNumber.replace(SEPARATORS, "")
  const digits = kind === phone ? plain.replace(COUNTRY, "0") : plain
  return kind.pattern.test(digits)
    ? Result.succeed(digits)
    : refuse("bankNumber", isKShopReference(plain) ? K_SHOP_ADVICE : `Expected ${kind.expected}`)
}

const refuse = (field: BankNumberRefused["field"], message: string) =>
  Result.fail(new BankNumberRefused({ field, message }))

/** Normalizes the reference or the number of a merchant as slips are compared with it; null without one. */
const merchantText = (field: "ref1" | "merchantId", fields: BankAccountFields) => {
  const written = fields[field]
  if (written === null) return Result.succeed(null)
  if (fields.bankCode === "PROMPTPAY") return refuse(field, "Expected null: a PromptPay id is no biller")
  const text = written.replace(SEPARATORS, "").toUpperCase()
  if (fields.bankCode === "KSHOP" && field === "ref1") {
    const number = kShopNumber(text)
    return number === undefined
      ? refuse(
        field,
        "Expected KB and 12 digits: the last 14 characters of the reference that K SHOP prints (KPS004KB…)"
      )
      : Result.succeed(number)
  }
  return /^[0-9A-Z]{1,30}$/u.test(text) ? Result.succeed(text) : refuse(field, "Expected 1 to 30 letters and digits")
}

/** Why the fields of an account are rejected. */
export type FieldsRefused = BankRefused | BankNumberRefused

/** Checks the fields and returns them as they are stored, with normalized numbers. */
export const checkFields = (fields: BankAccountFields): Result.Result<BankAccountFields, FieldsRefused> =>
  Result.gen(function* () {
    yield* resolveBank(fields.bankCode, fields.extraVerify)
    const ref1 = yield* merchantText("ref1", fields)
    const merchantId = yield* merchantText("merchantId", fields)
    return { ...fields, bankNumber: yield* bankNumber(fields), ref1, merchantId }
  })

/**
 * `extraVerify` after a change. Another bank clears it, unless that bank has the same value or the change names one.
 */
const extraVerifyAfter = (current: BankAccountFields, change: BankAccountChange): string | null => {
  if (change.extraVerify !== undefined) return change.extraVerify
  const { bankCode = current.bankCode } = change
  const isStillValid = bankCode === current.bankCode || Result.isSuccess(resolveBank(bankCode, current.extraVerify))
  return isStillValid ? current.extraVerify : null
}

/** The fields of an account after a change. They are checked together, because one field can make another invalid. */
export const changeFields = (
  current: BankAccountFields,
  change: BankAccountChange
): Result.Result<BankAccountFields, FieldsRefused> => {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined)
  const fields = fieldsOf({ ...current, ...Object.fromEntries(changed) })
  return checkFields({ ...fields, extraVerify: extraVerifyAfter(current, change) })
}

/**
 * Active accounts of one branch, own and linked ones. `matchAccount` reads all of them for each verification, in the
 * thread that serves every branch.
 */
export const MAX_ACTIVE_ACCOUNTS = 200
