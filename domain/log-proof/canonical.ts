import type { Schema } from "effect"

/**
 * JSON in the one spelling that RFC 8785 gives it: the keys of every object in the order of their UTF-16 units, no
 * spaces. What is hashed or signed is this text, so that it can be had again from the value in any language.
 */
export const canonicalJson = (value: Schema.Json): string => {
  // The runtime writes JSON several times as fast as any code here, and keys in the order in which they were set.
  const copy = sorted(value)
  return copy === undefined ? spelled(value) : JSON.stringify(copy)
}

/** The same value with its keys in order; undefined where a JavaScript object can't have them in that order. */
const sorted = (value: Schema.Json): Schema.Json | undefined => {
  if (value === null || typeof value !== "object") return value
  if (isList(value)) {
    const copy: Array<Schema.Json> = []
    for (const element of value) {
      const one = sorted(element)
      if (one === undefined) return undefined
      copy.push(one)
    }
    return copy
  }
  const copy: Record<string, Schema.Json> = {}
  for (const key of Object.keys(value).sort()) {
    const one = isPlain(key) ? sorted(value[key] ?? null) : undefined
    if (one === undefined) return undefined
    copy[key] = one
  }
  return copy
}

/** Keys that look like an index come before all others in any object, and `__proto__` is not like others. */
const isPlain = (key: string): boolean => (key < "0" || key > "9\uffff") && key !== "__proto__"

const spelled = (value: Schema.Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isList(value)) return `[${value.map(spelled).join(",")}]`
  const entries = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${spelled(value[key] ?? null)}`)
  return `{${entries.join(",")}}`
}

/** Array.isArray does not narrow a readonly array. */
const isList = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)
