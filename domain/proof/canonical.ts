import type { Schema } from "effect"

/**
 * JSON in the one spelling that RFC 8785 gives it: the keys of every object in the order of their UTF-16 units, no
 * spaces. What is hashed or signed is this text, so that it can be had again from the value in any language.
 */
export const canonicalJson = (value: Schema.Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`
  const entries = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${entries.join(",")}}`
}

/** Array.isArray does not narrow a readonly array. */
const isList = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)
