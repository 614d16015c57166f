import type { Schema } from "effect"

/**
 * JSON in the canonical form of RFC 8785: object keys sorted by UTF-16 code units, no spaces. Hashes and signatures
 * cover this text, so a program in any language can rebuild it from the value.
 */
export const canonicalJson = (value: Schema.Json): string => {
  // JSON.stringify is several times as fast as code here, and writes keys in the order in which they were set.
  const copy = sorted(value)
  return copy === undefined ? stringify(value) : JSON.stringify(copy)
}

/** The same value with sorted keys; undefined when a JavaScript object cannot hold the keys in that order. */
const sorted = (value: Schema.Json): Schema.Json | undefined => {
  if (value === null || typeof value !== "object") return value
  if (isArray(value)) {
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
    const one = keepsOrder(key) ? sorted(value[key] ?? null) : undefined
    if (one === undefined) return undefined
    copy[key] = one
  }
  return copy
}

/** Objects put integer-like keys before all others, and treat `__proto__` differently. */
const keepsOrder = (key: string): boolean => (key < "0" || key > "9\uffff") && key !== "__proto__"

const stringify = (value: Schema.Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(stringify).join(",")}]`
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${stringify(value[key] ?? null)}`)
  return `{${members.join(",")}}`
}

/** Array.isArray does not narrow a readonly array. */
const isArray = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)

const STRING_LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"/gsu

/**
 * Whether an object in a JSON text has the same name twice. Parsers differ in which of the two they keep, so one reader
 * could check a value that another reader does not see. `value` is the parsed text.
 */
export const hasDuplicateName = (text: string, value: unknown): boolean =>
  text.replaceAll(STRING_LITERAL, "").split(":").length - 1 !== countMembers(value)

/** Members of all objects in a value. Iterative: the nesting may exceed the call stack. */
const countMembers = (value: unknown): number => {
  let count = 0
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== "object" || one === null) continue
    const inside: ReadonlyArray<unknown> = Object.values(one)
    if (!Array.isArray(one)) count += inside.length
    for (const element of inside) open.push(element)
  }
  return count
}
