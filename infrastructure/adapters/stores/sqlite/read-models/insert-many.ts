import type { DatabaseSync, SQLInputValue } from "node:sqlite"

/** The order of the first entries. */
export const byFirst = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

/**
 * Makes a function that inserts rows that do not exist, and returns their number. When some of a group of rows exist,
 * it calls `onExisting` with the bounds of the group.
 */
export const makeInsertMany = (database: DatabaseSync, into: string, columns: number) => {
  const statement = (rows: number) => database.prepare(`${insertOf(into, columns, rows)} ON CONFLICT DO NOTHING`)
  const [many, one] = [statement(ROWS_PER_STATEMENT), statement(1)]
  return (
    rows: ReadonlyArray<ReadonlyArray<SQLInputValue>>,
    onExisting: (from: number, to: number) => void
  ): number => {
    let inserted = 0
    for (let from = 0; from < rows.length;) {
      const isFull = rows.length - from >= ROWS_PER_STATEMENT
      const to = from + (isFull ? ROWS_PER_STATEMENT : 1)
      const { changes } = (isFull ? many : one).run(...rows.slice(from, to).flat())
      if (Number(changes) < to - from) onExisting(from, to)
      inserted += Number(changes)
      from = to
    }
    return inserted
  }
}

/** Collects new rows for a table, and inserts many at a time. `flush` inserts the rest, and returns the number of all. */
export const makeCollector = (database: DatabaseSync, into: string) => {
  const columns = into.split(",").length
  const statement = (rows: number) => database.prepare(insertOf(into, columns, rows))
  const [many, one] = [statement(ROWS_PER_STATEMENT), statement(1)]
  const full = ROWS_PER_STATEMENT * columns
  let values: Array<SQLInputValue> = []
  let inserted = 0
  return {
    add: (...row: ReadonlyArray<SQLInputValue>): void => {
      for (const value of row) values.push(value)
      if (values.length < full) return
      many.run(...values)
      inserted += ROWS_PER_STATEMENT
      values = []
    },
    flush: (): number => {
      for (let at = 0; at < values.length; at += columns) one.run(...values.slice(at, at + columns))
      inserted += values.length / columns
      values = []
      return inserted
    }
  }
}

/** Hot path: a statement costs about as much for many rows as for one. Guarded by `npm run bench -- rebuild`. */
const ROWS_PER_STATEMENT = 32

const insertOf = (into: string, columns: number, rows: number): string => {
  const row = `(${Array(columns).fill("?").join(", ")})`
  return `INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(", ")}`
}
