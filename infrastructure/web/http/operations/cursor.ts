import { timingSafeEqual } from "node:crypto"
import type { Vault } from "../../../../ports/vault.ts"

/**
 * Cursors as callers see them. A cursor names its place in the read model, and a keyed digest binds it to its list: the
 * operation, the caller, the path and the query. A cursor that was changed, or that is of another list, is refused
 * (docs/spec/http.md, "Lists").
 */

/** A list, by what decides its content and order. */
export interface List {
  /** Method and path of the operation. */
  readonly route: string
  /** The id of the branch, or a name for all operators. */
  readonly owner: string
  /** Ids; their case does not matter. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The decoded query, without `cursor` and `limit`. */
  readonly query: unknown
}

const PURPOSE = "cursor"
const DIGEST_LENGTH = 32

const sortedEntries = (fields: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields ?? {}).sort(([one], [other]) => one < other ? -1 : 1)

const digestOf = (vault: Vault["Service"], { owner, params, query, route }: List, place: string): string => {
  const ids = sortedEntries(params).map(([name, id]) => [name, String(id).toLowerCase()])
  return vault.digest(PURPOSE, JSON.stringify([route, owner, ids, sortedEntries(query), place]))
}

export const sealCursor = (vault: Vault["Service"], list: List, place: string): string =>
  Buffer.from(digestOf(vault, list, place) + place).toString("base64url")

/** The place of a cursor; undefined when the service did not issue it for this list. */
export const openCursor = (vault: Vault["Service"], list: List, cursor: string): string | undefined => {
  const bytes = Buffer.from(cursor, "base64url")
  const text = bytes.toString()
  const place = text.slice(DIGEST_LENGTH)
  const expected = Buffer.from(sealCursor(vault, list, place))
  const given = Buffer.from(cursor)
  return given.length === expected.length && timingSafeEqual(given, expected) ? place : undefined
}
