import { banks } from "../../../../domain/bank.ts"
import { bankNameIn } from "../../pages/language.ts"
import type { PageContext } from "../page-context.ts"

/** The fields of a receiving account that forms show. */
export const accountFieldNames = [
  "bankCode",
  "bankNumber",
  "ref1",
  "merchantId",
  "nameTh",
  "nameEn",
  "type",
  "extraVerify"
] as const

type Options = ReadonlyArray<readonly [value: string, label: string]>

/** The banks that receive money, with their names in the language of the page. */
export const bankOptions = ({ messages: { language } }: PageContext): Options =>
  banks.map((bank) => [bank.code, `${bankNameIn(language, bank)} (${bank.code})`])

export const typeOptions = ({ messages: { bankAccount, common } }: PageContext): Options => [
  ["", common.none],
  ["PERSONAL", bankAccount.types.PERSONAL],
  ["JURISTIC", bankAccount.types.JURISTIC]
]

/** The values of all banks that have some. Each is named after its banks, because a form without a script cannot adapt. */
export const extraVerifyOptions = ({ messages: { common, language } }: PageContext): Options => [
  ["", common.none],
  ...banks.flatMap((bank) =>
    (bank.extraVerify ?? []).map(({ value }) => [value, `${bankNameIn(language, bank)}: ${value}`] as const)
  )
]
