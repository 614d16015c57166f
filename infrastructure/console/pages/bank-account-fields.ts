import { banks } from "../../../domain/bank.ts"
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
  banks.map(({ code, nameEn, nameTh }) => [code, `${language === "th" ? nameTh : nameEn} (${code})`])

export const typeOptions = ({ messages: { bankAccount, common } }: PageContext): Options => [
  ["", common.none],
  ["PERSONAL", bankAccount.types.PERSONAL],
  ["JURISTIC", bankAccount.types.JURISTIC]
]

/** The values of all banks that have some. Each is named after its banks, because a form without a script cannot adapt. */
export const extraVerifyOptions = ({ messages: { common, language } }: PageContext): Options => [
  ["", common.none],
  ...banks.flatMap(({ extraVerify, nameEn, nameTh }) =>
    (extraVerify ?? []).map(({ value }) => [value, `${language === "th" ? nameTh : nameEn}: ${value}`] as const)
  )
]
