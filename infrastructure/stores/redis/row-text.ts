import type { JsonObject } from "../../../domain/events/recorded-event.ts"
import { isRecord } from "./reply.ts"

/**
 * A row as it stands in Redis: a JSON object of texts, each the JSON of a field's value. Scripts put rows together
 * field by field and never read a value, since Lua would lose what `[]`, `null` and long numbers are.
 */
export const toRowText = (fields: JsonObject): string => {
  let text = ""
  for (const [name, value] of Object.entries(fields)) {
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(JSON.stringify(value))}`
  }
  return `{${text}}`
}

/** The JSON text of a row's fields. */
export const fieldsText = (row: string): string => {
  const texts: unknown = JSON.parse(row)
  if (!isRecord(texts)) throw new Error("a row in Redis is not an object")
  return `{${Object.entries(texts).map(([name, value]) => `${JSON.stringify(name)}:${String(value)}`).join(",")}}`
}

export const fromRowText = (row: string): JsonObject => JSON.parse(fieldsText(row))
