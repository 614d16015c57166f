import { BankAccountChangeRequest, BankAccountRequest } from "../api/requests/bank-accounts.ts"
import { MAX_ACTIVE_ACCOUNTS } from "../../../domain/bank-account/fields.ts"
import type { FieldsRefused } from "../../../domain/bank-account/fields.ts"
import { decodeFields, invalid } from "./decode.ts"
import type { Issue } from "../api/failures.ts"

export const decodeBankAccount = decodeFields(BankAccountRequest)
export const decodeBankAccountChange = decodeFields(BankAccountChangeRequest)

const bankIssues = {
  "unknown-bank": { path: "bankCode", message: "Expected a code of the bank list, such as 004 or PROMPTPAY" },
  "extra-verify-required": { path: "extraVerify", message: "Expected one of the bank's values" },
  "extra-verify-invalid": { path: "extraVerify", message: "Expected one of the bank's values, or none if it has none" }
} as const satisfies Readonly<Record<string, Issue>>

/** The fault of a request for one more account of a branch. No field is at fault. */
export const tooManyAccounts: Issue = {
  path: "",
  message: `The branch has ${MAX_ACTIVE_ACCOUNTS} active bank accounts: deactivate one before you add another`
}

/** The refusal of fields as the fault of one field, for forms and flags. */
export const fieldFault = (refused: FieldsRefused) =>
  invalid(
    refused._tag === "BankRefused" ? bankIssues[refused.reason] : { path: refused.field, message: refused.message }
  )
