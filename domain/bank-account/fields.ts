import { Result, Schema } from "effect"
import { type BankRefused, resolveBank } from "../bank.ts"
import type { Complete } from "../decider.ts"
import { Sealed } from "../sealed.ts"

// The fields of an account are declared here once (docs/spec/http.md, "Bank accounts"). A field that is added must be
// `Schema.optionalKey(Schema.NullOr(…))`, as old events do not have it: absent means null.

/** Fields that are personal data: they are sealed together and never stand in the log in the clear. */
export const personalFields = {
  /** As it was written; digits alone once it is judged. */
  bankNumber: Schema.String,
  nameTh: Schema.String,
  nameEn: Schema.NullOr(Schema.String)
}

const clearFields = {
  type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"])),
  /** One of the bank's `extraVerify` values; null where the bank has none. */
  extraVerify: Schema.NullOr(Schema.String)
}

/** What an event or a row of an account holds of its fields, besides the code of the bank. */
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

/** What a branch says of an account that it receives money on. */
export type BankAccountFields = Complete<TypeOf<typeof allFields>>
export type PersonalFields = Pick<BankAccountFields, keyof typeof personalFields>
export type BankAccountContent = Complete<TypeOf<typeof contentFields>>

/** What is to be different; what is absent stays as it is. */
export type BankAccountChange = { readonly [Field in keyof BankAccountFields]?: BankAccountFields[Field] | undefined }

/** The same fields; those that may be null may be absent. */
type Source<Fields> =
  & { readonly [Name in keyof Fields as null extends Fields[Name] ? never : Name]: Fields[Name] }
  & { readonly [Name in keyof Fields as null extends Fields[Name] ? Name : never]?: Fields[Name] | undefined }

/** Takes some fields from a value that may have more of them, in the order of their declaration; absent means null. */
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

/** A number that can't be one of that kind; the message says what is expected. */
export class BankNumberRefused extends Schema.TaggedError<BankNumberRefused>()("BankNumberRefused", {
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
const account: Kind = { pattern: /^\d{10,15}$/u, expected: "the whole account number, 10 to 15 digits" }

const proxies: Readonly<Record<string, Kind>> = { MSISDN: phone, NATID: nationalId, EWALLETID: wallet }

const kindOf = (bankCode: string, extraVerify: string | null): Kind => {
  if (bankCode === "KSHOP") return shop
  return bankCode === "PROMPTPAY" ? proxies[extraVerify ?? ""] ?? phone : account
}

/** People write numbers with spaces and with hyphens of every width. */
const SEPARATORS = /[\s\p{Pd}]/gu

/** `+66`, `66` and `0066` before a number are the `0` that people dial. */
const COUNTRY = /^(?:\+|00)?66(?=\d{9}$)/u

/**
 * A number as it is stored: digits alone (docs/spec/http.md, "Bank accounts"). One phone is one number, however it is
 * written: otherwise it could be registered twice. Lengths are judged by kind, and generously: what is refused here
 * could never match a slip.
 *
 * `bankCode` and `extraVerify` are ones that belong together.
 */
const bankNumber = (
  bankCode: string,
  extraVerify: string | null,
  written: string
): Result.Result<string, BankNumberRefused> => {
  const kind = kindOf(bankCode, extraVerify)
  const plain = written.replace(SEPARATORS, "")
  const digits = kind === phone ? plain.replace(COUNTRY, "0") : plain
  return kind.pattern.test(digits)
    ? Result.succeed(digits)
    : Result.fail(new BankNumberRefused({ message: `Expected ${kind.expected}` }))
}

/** Why the fields of an account do not go together. */
export type FieldsRefused = BankRefused | BankNumberRefused

/** The fields as they are kept, if there can be such an account. */
export const checkFields = (fields: BankAccountFields): Result.Result<BankAccountFields, FieldsRefused> =>
  Result.gen(function* () {
    yield* resolveBank(fields.bankCode, fields.extraVerify)
    return { ...fields, bankNumber: yield* bankNumber(fields.bankCode, fields.extraVerify, fields.bankNumber) }
  })

/**
 * The way to compare belongs to a bank. With another bank it goes, unless that bank has the same way or the change
 * names one.
 */
const extraVerifyAfter = (current: BankAccountFields, change: BankAccountChange): string | null => {
  if (change.extraVerify !== undefined) return change.extraVerify
  const { bankCode = current.bankCode } = change
  const stays = bankCode === current.bankCode || Result.isSuccess(resolveBank(bankCode, current.extraVerify))
  return stays ? current.extraVerify : null
}

/** The fields of an account after a change, judged as a whole: each of them may need another one changed with it. */
export const changeFields = (
  current: BankAccountFields,
  change: BankAccountChange
): Result.Result<BankAccountFields, FieldsRefused> => {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined)
  const fields = fieldsOf({ ...current, ...Object.fromEntries(changed) })
  return checkFields({ ...fields, extraVerify: extraVerifyAfter(current, change) })
}
