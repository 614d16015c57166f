import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import { withAmounts } from "../../../../projections/engine/row-change.ts"

/** Another process has cleared or replaced the shadow model. */
export class ShadowReplaced extends Error {}

/** Runs the parts of filling a shadow model, so that other connections write the file between two of them. */
export interface Steps {
  readonly step: (run: () => void) => void
  readonly perStep: number
}

/** Merges the writes of each row in their order. */
export const loadRows = (database: DatabaseSync, from: string, generation: number, { perStep, step }: Steps): void => {
  const sorted = database.prepare(`SELECT tbl, key, fields FROM ${from} ORDER BY tbl, key, seq`).iterate()
  const insert = makeCollector(database, "rows(generation, tbl, key, fields)")
  let next = sorted.next()
  while (next.done !== true) {
    step(() => {
      for (let rows = 0; rows < perStep && next.done !== true; rows++) {
        const { key, tbl } = next.value
        let text: string | undefined
        for (; next.done !== true && next.value["key"] === key && next.value["tbl"] === tbl; next = sorted.next()) {
          const fields = next.value["fields"]
          text = typeof fields !== "string" ? undefined : merged(text, fields)
        }
        if (text !== undefined) insert.add(generation, tbl ?? null, key ?? null, text)
      }
      insert.flush()
    })
  }
  database.exec(`DROP TABLE ${from}`)
}

/** Marks the amounts of `AddToFields` among the collected fields, which are JSON. */
export const COUNTED = "+"

const merged = (before: string | undefined, text: string): string => {
  const row: JsonObject = before === undefined ? {} : JSON.parse(before)
  if (text.startsWith(COUNTED)) return JSON.stringify(withAmounts(row, JSON.parse(text.slice(COUNTED.length))))
  return before === undefined ? text : JSON.stringify({ ...row, ...JSON.parse(text) })
}

/** Collects rows for a table, and inserts many at a time. */
export const makeCollector = (database: DatabaseSync, into: string) => {
  const columns = into.split(",").length
  const row = `(${Array(columns).fill("?").join(", ")})`
  const insert = (rows: number) => database.prepare(`INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(", ")}`)
  const [many, one] = [insert(ROWS_PER_STATEMENT), insert(1)]
  const full = ROWS_PER_STATEMENT * columns
  let values: Array<SQLInputValue> = []
  return {
    add: (...row: ReadonlyArray<SQLInputValue>): void => {
      for (const value of row) values.push(value)
      if (values.length < full) return
      many.run(...values)
      values = []
    },
    flush: (): void => {
      for (let at = 0; at < values.length; at += columns) one.run(...values.slice(at, at + columns))
      values = []
    }
  }
}

const ROWS_PER_STATEMENT = 32
