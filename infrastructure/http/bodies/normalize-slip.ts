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

/** The largest text of conditions in a form. */
const MAX_CONDITIONS_TEXT = 8_192

/** More levels than valid conditions have. */
const MAX_LEVELS = 8

/** The value of JSON; the text itself when it is not JSON, so that the decoder refuses it. */
const asJson = (value: unknown): unknown => {
  if (typeof value !== "string" || value.length > MAX_CONDITIONS_TEXT) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/**
 * Conditions without nulls, and with their fields in one order: both do not matter for "the same" request. A text takes
 * the place of what is too deep, and the decoder refuses it: a form's text may be nested deeper than the stack allows.
 */
const normalizeConditions = (value: unknown, levels = MAX_LEVELS): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (levels === 0) return "too deep"
  if (Array.isArray(value)) return value.map((item) => normalizeConditions(item, levels - 1))
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(
    entries.sort(([one], [other]) => one < other ? -1 : 1).map((
      [name, inner]
    ) => [name, normalizeConditions(inner, levels - 1)])
  )
}

const withConditions = (fields: Fields): Fields => {
  const { conditions } = fields
  return conditions === undefined ? fields : { ...fields, conditions: normalizeConditions(conditions) }
}

/**
 * Removes nulls from JSON: clients that serialise their models send null for an absent field. Converts the text of a
 * form to booleans and numbers, and to conditions.
 */
export const normalizeSlip = ({ fields, isForm }: ReceivedBody): Fields => {
  if (!isForm) return withConditions(Object.values(fields).includes(null) ? withoutNulls(fields) : fields)
  const { checkDuplicate, conditions, matchAccount, matchAmount, ...others } = fields
  return {
    ...others,
    ...(conditions === undefined ? {} : { conditions: normalizeConditions(asJson(conditions)) }),
    ...(checkDuplicate === undefined ? {} : { checkDuplicate: asBoolean(checkDuplicate) }),
    ...(matchAccount === undefined ? {} : { matchAccount: asBoolean(matchAccount) }),
    ...(matchAmount === undefined ? {} : { matchAmount: asNumber(matchAmount) })
  }
}
