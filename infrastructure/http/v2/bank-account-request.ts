import { Effect } from "effect"
import { fieldsOf } from "../../../domain/bank-account/fields.ts"
import { BankAccountBody, BankAccountChangeBody } from "../api/branch-fields.ts"
import type { Body } from "../body.ts"
import type { Exchange } from "../endpoint.ts"
import { queryOf } from "../page.ts"
import { decodeFields, type Fields, invalid } from "../../input/decode.ts"

const decodeRegistration = decodeFields(BankAccountBody)
const decodeChange = decodeFields(BankAccountChangeBody)

/**
 * Judges the body of a new account (docs/spec/http.md, "Bank accounts"); what belongs together is judged with the bank.
 */
export const parseRegistration = Effect.fnUntraced(function* ({ fields }: Body) {
  return fieldsOf(yield* decodeRegistration(fields))
})

/** Judges the body of a change: an absent field keeps its value, null clears it where that may be. */
export const parseChange = ({ fields }: { readonly fields: Fields }) => decodeChange(fields)

/** `isActive` of the list. */
export const parseIsActive = Effect.fnUntraced(function* (exchange: Exchange) {
  const given = queryOf(exchange).get("isActive")
  if (given === null) return undefined
  if (given === "true" || given === "false") return given === "true"
  return yield* invalid({ path: "isActive", message: "Expected true or false" })
})
