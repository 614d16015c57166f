import type { Json } from "../../application/ports/event-store.ts"

/** A row in the text of a dump. `fields` is the row's JSON, in any order of its keys. */
export const rowLine = (table: string, key: string, fields: string): string =>
  canonical({ fields: JSON.parse(fields), key, table })

export const memberLine = (set: string, member: string, score: number): string => canonical({ member, score, set })

/** JSON with the keys of every object in the order of their UTF-16 units, and without spaces. */
const canonical = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonical).join(",")}]`
  const entries = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
  return `{${entries.join(",")}}`
}

/** Array.isArray does not narrow a readonly array. */
const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
