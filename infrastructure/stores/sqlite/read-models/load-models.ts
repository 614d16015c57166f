import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import { withAmounts } from "../../../../projections/engine/row-change.ts"
import { COUNTED } from "./collect-writes.ts"
import { makeCollector } from "./insert-many.ts"

/** Another process has cleared or replaced the shadow model. */
export class ShadowReplaced extends Error {}

/** Runs the parts of filling a shadow model, so that other connections write the file between two of them. */
export interface Steps {
  readonly step: (run: () => void) => void
  readonly perStep: number
}

/** Where the collected writes of a model are, and where they are loaded. */
export interface LoadModel extends Steps {
  readonly database: DatabaseSync
  /** A view of the collected writes. A write with a higher `seq` is later. */
  readonly from: string
  readonly generation: number
}

/** Merges the writes of each row in their order. */
export const loadRows = ({ database, from, generation, perStep, step }: LoadModel): void => {
  const sorted = database.prepare(`SELECT tbl, key, fields FROM ${from} ORDER BY tbl, key, seq`)
  sorted.setReturnArrays(true)
  const insert = makeCollector(database, "rows(generation, tbl, key, fields)")
  let rows: Array<SortedRow> = []
  const load = () =>
    step(() => {
      for (const [table, key, fields] of rows) insert.add(generation, table, key, fields)
      insert.flush()
    })
  let [table, key, fields]: SortedRow = ["", "", null]
  const found: Iterable<object> = sorted.iterate()
  for (const [nextTable, nextKey, nextFields] of found as Iterable<SortedRow>) {
    if (nextKey === key && nextTable === table) {
      fields = nextFields === null ? null : merged(fields, nextFields)
      continue
    }
    if (fields !== null) rows.push([table, key, fields])
    if (rows.length === perStep) {
      load()
      rows = []
    }
    ;[table, key, fields] = [nextTable, nextKey, nextFields === null ? null : merged(null, nextFields)]
  }
  if (fields !== null) rows.push([table, key, fields])
  load()
}

/** Without fields, the row does not exist. */
type SortedRow = readonly [table: string, key: string, fields: string | null]

const merged = (before: string | null, text: string): string => {
  const row: JsonObject = before === null ? {} : JSON.parse(before)
  if (text.startsWith(COUNTED)) return JSON.stringify(withAmounts(row, JSON.parse(text.slice(COUNTED.length))))
  return before === null ? text : JSON.stringify({ ...row, ...JSON.parse(text) })
}
