import type { Fields } from "../../input/decode.ts"
import { trimQrText } from "../../../../domain/slip/qr-text.ts"
import { asNumber, withAmounts } from "../../input/read-amount.ts"
import { asBoolean, asJson, hasPartsOf } from "./form-text.ts"
import { givenFields } from "./given-fields.ts"

// Runs in the body thread too: it loads no Effect.

/** The fields of a request's body; `isForm` when numbers and booleans arrive as text. */
export interface ReceivedBody {
  readonly isForm: boolean
  readonly fields: Fields
}

/** More levels than valid conditions have. */
const MAX_LEVELS = 8

/**
 * Conditions without nulls, and with their fields in one order: both do not matter for "the same" request. A text takes
 * the place of what is too deep, and the decoder refuses it: a form's text may be nested deeper than the stack allows.
 */
const normalizeLevels = (value: unknown, levels: number): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (levels === 0) return "too deep"
  if (Array.isArray(value)) return value.map((item) => normalizeLevels(item, levels - 1))
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(
    entries.sort(([one], [other]) => one < other ? -1 : 1).map((
      [name, inner]
    ) => [name, normalizeLevels(inner, levels - 1)])
  )
}

const normalizeConditions = (value: unknown): unknown => withAmounts(normalizeLevels(value, MAX_LEVELS))

type Convert = (value: unknown) => unknown

/** The fields with one of them converted, if it is there. */
const converting = (fields: Fields, name: string, convert: Convert): Fields =>
  fields[name] === undefined ? fields : { ...fields, [name]: convert(fields[name]) }

/** Stands for conditions in parts, such as `conditions[amount][equals]`. The decoder refuses it: none is ignored. */
const IN_PARTS = "in parts"

/** A form's fields with the types that they have in JSON. */
const typed = (fields: Fields): Fields => {
  const whole = hasPartsOf("conditions", fields) ? { ...fields, conditions: IN_PARTS } : fields
  return converting(whole, "conditions", asJson)
}

const trimmed: Convert = (value) => typeof value === "string" ? trimQrText(value) : value

/**
 * Gives the fields of a slip one form, so that the same content is the same in JSON and in forms, and for an
 * `Idempotency-Key`. Nulls and empty texts are removed from JSON: clients that serialise their models send them for an
 * absent field.
 */
export const normalizeSlip = ({ fields: received, isForm }: ReceivedBody): Fields => {
  let fields = isForm ? typed(received) : givenFields(received, (value) => value !== null && value !== "")
  fields = converting(fields, "payload", trimmed)
  for (const name of ["checkDuplicate", "matchAccount"]) fields = converting(fields, name, asBoolean)
  return converting(converting(fields, "matchAmount", asNumber), "conditions", normalizeConditions)
}
