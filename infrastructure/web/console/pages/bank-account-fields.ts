import { banks } from "../../../../domain/bank.ts"
import type { Field } from "../../pages/forms.ts"
import type { Html } from "../../pages/html.ts"
import { bankNameIn } from "../../pages/language.ts"
import { fieldView } from "../forms.ts"
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

type AccountField = (typeof accountFieldNames)[number]

type Options = NonNullable<Field["options"]>

/** The values that a field may have; undefined for text. */
const optionsOf = (
  { messages: { bankAccount, common, language } }: PageContext,
  name: AccountField
): Options | undefined => {
  switch (name) {
    case "bankCode":
      return banks.map((bank) => [bank.code, `${bankNameIn(language, bank)} (${bank.code})`])
    case "type":
      return [["", common.none], ["PERSONAL", bankAccount.types.PERSONAL], ["JURISTIC", bankAccount.types.JURISTIC]]
    case "extraVerify":
      // Each value is named after its banks, because a form without a script cannot adapt.
      return [
        ["", common.none],
        ...banks.flatMap((bank) =>
          (bank.extraVerify ?? []).map(({ value }) => [value, `${bankNameIn(language, bank)}: ${value}`] as const)
        )
      ]
    default:
      return undefined
  }
}

/** The field of a receiving account in a form. */
export const accountField = (
  context: PageContext,
  name: AccountField,
  more: Pick<Field, "hint" | "isRequired" | "value"> = {}
): Html =>
  fieldView(context, { name, label: context.messages.bankAccount[name], options: optionsOf(context, name), ...more })
