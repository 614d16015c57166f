import { canonicalJson } from "../../domain/log-proof/canonical-json.ts"

/** A row in the text of a dump. `fields` is the row's JSON, in any order of its keys. */
export const rowLine = (table: string, key: string, fields: string): string =>
  canonicalJson({ fields: JSON.parse(fields), key, table })

export const memberLine = (set: string, member: string, score: number): string => canonicalJson({ member, score, set })

/** A set that is said to have another number of members than it has. */
export const sizeLine = (set: string, size: number, members: number): string => canonicalJson({ members, set, size })
