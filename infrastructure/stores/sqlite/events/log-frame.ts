import type { DatabaseSync } from "node:sqlite"
import { emptyLog } from "./log-file.ts"

/** A table, an index, a view or a trigger, as SQLite keeps it. */
interface Part {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

const partsOf = (db: DatabaseSync): ReadonlyArray<Part> =>
  db.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all().map(({ name, sql, type }) => ({
    type: String(type),
    name: String(name),
    sql: sql === null ? null : String(sql)
  }))

/**
 * What is not as the service makes it of all that decides how events are found and shown, in words. Tables, views and
 * indexes of other names show nothing otherwise, so whoever looks things up may have them; a trigger changes what is
 * appended.
 */
export const faultsOfSchema = (db: DatabaseSync): ReadonlyArray<string> => {
  const made = emptyLog()
  const expected = partsOf(made)
  made.close()
  const found = partsOf(db)
  const isSame = (one: Part) =>
    found.some(({ name, sql, type }) => name === one.name && type === one.type && sql === one.sql)
  return [
    ...expected.filter((part) => !isSame(part)).map(({ name, type }) =>
      `the ${type} ${name} is not as SlipTrail makes it`
    ),
    ...found.filter(({ type }) => type === "trigger").map(({ name }) =>
      `the trigger ${name} stands in the file, and no SlipTrail made it`
    )
  ]
}

/** Streams that are looked at at once: some milliseconds. */
const PAGE = 1_000

/** Streams whose end is not where the file says: what is appended behind it is refused, or stands in the wrong place. */
export interface StreamEnds {
  readonly wrong: number
  /** The first of them, in words. */
  readonly first: string | undefined
  /** The id behind which the next page begins; undefined when there is none. */
  readonly next: bigint | undefined
}

export const makeStreamEnds = (db: DatabaseSync): (after: bigint) => StreamEnds => {
  const page = db.prepare(
    `SELECT id, name, head, (SELECT max(revision) FROM events WHERE stream_id = streams.id) AS last
     FROM streams WHERE id > ? ORDER BY id LIMIT ${PAGE}`
  )
  page.setReadBigInts(true)
  return (after) => {
    const rows = page.all(after)
    const id = rows.at(-1)?.["id"]
    const wrong = rows.filter(({ head, last }) => head !== last)
    return {
      wrong: wrong.length,
      first: wrong.slice(0, 1).map(({ head, last, name }) => {
        const end = last === null ? "it has no event" : `its last event is ${String(last)}`
        return `${String(name)}, of which the file says ${String(head)}, and ${end}`
      })[0],
      next: rows.length === PAGE && typeof id === "bigint" ? id : undefined
    }
  }
}
