import { Result } from "effect"
import { type BankRefused, judgeBank } from "../bank.ts"
import { bankNumber, type BankNumberRefused } from "./bank-number.ts"

/** What a branch says of an account that it receives money on (docs/spec/http.md, "Bank accounts"). */
export interface BankAccountFields {
  /** A code of the bank list. */
  readonly bankCode: string
  /** As it was written; digits alone once it is judged. */
  readonly bankNumber: string
  readonly nameTh: string
  readonly nameEn: string | null
  readonly type: "PERSONAL" | "JURISTIC" | null
  /** One of the bank's `extraVerify` values; null where the bank has none. */
  readonly extraVerify: string | null
}

/** What is to be different; what is absent stays as it is. */
export type BankAccountChange = { readonly [Field in keyof BankAccountFields]?: BankAccountFields[Field] | undefined }

/** Why the fields of an account don't go together. */
export type FieldsRefused = BankRefused | BankNumberRefused

/** The fields as they are kept, if there can be such an account. */
export const judgeFields = (fields: BankAccountFields): Result.Result<BankAccountFields, FieldsRefused> =>
  Result.gen(function* () {
    yield* judgeBank(fields.bankCode, fields.extraVerify)
    return { ...fields, bankNumber: yield* bankNumber(fields.bankCode, fields.extraVerify, fields.bankNumber) }
  })

/**
 * The way to compare belongs to a bank: with another bank it goes, unless that one has the same or the change names one.
 */
const extraVerifyAfter = (current: BankAccountFields, change: BankAccountChange): string | null => {
  if (change.extraVerify !== undefined) return change.extraVerify
  const { bankCode = current.bankCode } = change
  const stays = bankCode === current.bankCode || Result.isSuccess(judgeBank(bankCode, current.extraVerify))
  return stays ? current.extraVerify : null
}

/** The fields of an account after a change, judged as a whole: each of them may need another one changed with it. */
export const changeFields = (
  current: BankAccountFields,
  change: BankAccountChange
): Result.Result<BankAccountFields, FieldsRefused> =>
  judgeFields({
    bankCode: change.bankCode ?? current.bankCode,
    bankNumber: change.bankNumber ?? current.bankNumber,
    nameTh: change.nameTh ?? current.nameTh,
    nameEn: change.nameEn === undefined ? current.nameEn : change.nameEn,
    type: change.type === undefined ? current.type : change.type,
    extraVerify: extraVerifyAfter(current, change)
  })

/** Those of the fields that are personal data: they never stand in the log in the clear. */
export type PersonalFields = Pick<BankAccountFields, "bankNumber" | "nameTh" | "nameEn">

export const isSamePersonal = (one: PersonalFields, other: PersonalFields): boolean =>
  one.bankNumber === other.bankNumber && one.nameTh === other.nameTh && one.nameEn === other.nameEn
