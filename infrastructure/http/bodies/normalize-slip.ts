import type { Fields } from "../../input/decode.ts"

// Runs in the body thread too: it loads no Effect.

/** The fields of a request's body; `isForm` when numbers and booleans arrive as text. */
export interface ReceivedBody {
  readonly isForm: boolean
  readonly fields: Fields
}

const asBoolean = (value: unknown): unknown => value === "true" ? true : value === "false" ? false : value
const asNumber = (value: unknown): unknown =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/u.test(value.trim()) ? Number(value) : value

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/**
 * Removes nulls from JSON: clients that serialise their models send null for an absent field. Converts the text of a
 * form to booleans and numbers.
 */
export const normalizeSlip = ({ fields, isForm }: ReceivedBody): Fields => {
  if (!isForm) return Object.values(fields).includes(null) ? withoutNulls(fields) : fields
  const { checkDuplicate, matchAccount, matchAmount, ...others } = fields
  return {
    ...others,
    ...(checkDuplicate === undefined ? {} : { checkDuplicate: asBoolean(checkDuplicate) }),
    ...(matchAccount === undefined ? {} : { matchAccount: asBoolean(matchAccount) }),
    ...(matchAmount === undefined ? {} : { matchAmount: asNumber(matchAmount) })
  }
}
