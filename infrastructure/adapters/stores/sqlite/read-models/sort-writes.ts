import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "../../../../../domain/events/recorded-event.ts"
import { withAmounts } from "../../../../../projections/engine/changes.ts"
import { COUNTED } from "./collect-writes.ts"
import { makeCollector } from "./insert-many.ts"

/** Tables of one model in the order in which they fill the file: `id` counts their entries. */
export interface SortedTables {
  /** Rows: `tbl`, `key` and `fields`. */
  readonly rows: string
  /** Members in the order of their names: `name` of the set, `score` and `member`. Without those of fixed sets. */
  readonly members: string
  /** The same members in the order of their scores. */
  readonly scored: string
  /** Members of fixed sets in the order of their scores. The same one may occur more than once. */
  readonly fixed: string
}

/** The sorted tables of the model with this index. */
export const sortedTables = (index: number): SortedTables => ({
  rows: `sorted_rows_${index}`,
  members: `sorted_members_${index}`,
  scored: `sorted_scores_${index}`,
  fixed: `sorted_fixed_${index}`
})

/** Merges the writes of each row in their order. `from` is a table or view; a write with a higher `seq` is later. */
export const sortRows = (database: DatabaseSync, from: string, { rows }: SortedTables): void => {
  database.exec(
    `DROP TABLE IF EXISTS ${rows};
     CREATE TABLE ${rows}(id INTEGER PRIMARY KEY, tbl TEXT, key TEXT, fields TEXT);
     BEGIN`
  )
  const merging = database.prepare(`SELECT tbl, key, fields FROM ${from} ORDER BY tbl, key, seq`)
  merging.setReturnArrays(true)
  const sorted = makeCollector(database, `${rows}(tbl, key, fields)`)
  let [table, key, fields]: SortedRow = ["", "", null]
  const found: Iterable<object> = merging.iterate()
  for (const [nextTable, nextKey, nextFields] of found as Iterable<SortedRow>) {
    if (nextKey === key && nextTable === table) {
      fields = nextFields === null ? null : merged(fields, nextFields)
      continue
    }
    if (fields !== null) sorted.add(table, key, fields)
    ;[table, key, fields] = [nextTable, nextKey, nextFields === null ? null : merged(null, nextFields)]
  }
  if (fields !== null) sorted.add(table, key, fields)
  sorted.flush()
  database.exec("COMMIT")
}

/** Without fields, the row does not exist. */
type SortedRow = readonly [table: string, key: string, fields: string | null]

const merged = (before: string | null, text: string): string => {
  const row: JsonObject = before === null ? {} : JSON.parse(before)
  if (text.startsWith(COUNTED)) return JSON.stringify(withAmounts(row, JSON.parse(text.slice(COUNTED.length))))
  return before === null ? text : JSON.stringify({ ...row, ...JSON.parse(text) })
}

/** The last write to a member counts. A write without a score removes its member. */
export const sortMembers = (database: DatabaseSync, from: string, { members, scored }: SortedTables): void => {
  createSorted(
    database,
    members,
    `SELECT name, score, member FROM (SELECT name, member, score, max(seq) FROM ${from} GROUP BY name, member)
     WHERE score IS NOT NULL`
  )
  createSorted(database, scored, `SELECT name, score, member FROM ${members} ORDER BY name, score, member`)
}

/**
 * As `sortMembers`, for fixed sets: every write names the score, and says whether the member is added. One sort brings the
 * writes of a member together, and all members into the order of their scores. Hot path: without removals a member that was
 * added twice occurs twice, because to leave it out takes a third more time. Guarded by `npm run bench -- rebuild`.
 */
export const sortFixedMembers = (
  database: DatabaseSync,
  from: string,
  { fixed }: SortedTables,
  { hasRemovals }: { readonly hasRemovals: boolean }
): void =>
  createSorted(
    database,
    fixed,
    hasRemovals
      ? `SELECT name, score, member
         FROM (SELECT name, score, member, isAdded, max(seq) FROM ${from} GROUP BY name, score, member) WHERE isAdded`
      : `SELECT name, score, member FROM ${from} ORDER BY name, score, member`
  )

/** Creates a table of members in the order of a query. Those of a set are adjacent. */
const createSorted = (database: DatabaseSync, table: string, query: string): void =>
  database.exec(
    `DROP TABLE IF EXISTS ${table};
     CREATE TABLE ${table}(id INTEGER PRIMARY KEY, name TEXT, score REAL, member TEXT);
     INSERT INTO ${table}(name, score, member) ${query}`
  )
