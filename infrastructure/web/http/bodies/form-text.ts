import { readBoolean } from "../../api/read-boolean.ts"

// Runs in the body thread too: it loads no Effect. Each function returns a text that stands for no value of its kind
// unchanged, so that the decoder refuses it and names the field.

/** The boolean that a value stands for, in a form and in JSON. */
export const asBoolean = (value: unknown): unknown => readBoolean(value) ?? value

/** The largest text of JSON in a field of a form, in characters. */
const MAX_JSON_TEXT = 8_192

/** The value of the JSON in a field of a form. */
export const asJson = (value: unknown): unknown => {
  if (typeof value !== "string" || value.length > MAX_JSON_TEXT) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Whether a form has parts of a field, such as `conditions[amount]`, which encoders make of an object or a list. */
export const hasPartsOf = (name: string, fields: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(fields).some((key) => key.startsWith(`${name}[`) || key.startsWith(`${name}.`))
