import { DatabaseSync } from "node:sqlite"
import type { FirstEvent } from "../../test/support/slip-events.ts"

/** The baseline of the event store: an event log in bare node:sqlite. */
export interface BareLog {
  /** Appends in one transaction, which is on the disk when this returns. */
  readonly append: (events: ReadonlyArray<FirstEvent>) => void
  /** Reads every event, parses its JSON, and returns the number of events. */
  readonly replay: () => number
  readonly close: () => void
}

/** Rows per statement, as many as in the event store. */
const PAGE = 256

export const openBareLog = (file: string): BareLog => {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;
    CREATE TABLE events(
      position INTEGER PRIMARY KEY,
      stream TEXT NOT NULL UNIQUE,
      event_id BLOB NOT NULL,
      type TEXT NOT NULL,
      data TEXT NOT NULL,
      metadata TEXT NOT NULL
    )`)
  const insert = db.prepare("INSERT INTO events(stream, event_id, type, data, metadata) VALUES (?, ?, ?, ?, ?)")
  const page = db.prepare("SELECT position, stream, type, data, metadata FROM events WHERE position > ? LIMIT ?")
  return {
    append: (events) => {
      db.exec("BEGIN IMMEDIATE")
      for (const { event: { data, id, metadata, type }, stream } of events) {
        const bytes = Buffer.from(id.replaceAll("-", ""), "hex")
        insert.run(stream, bytes, type, JSON.stringify(data), JSON.stringify(metadata))
      }
      db.exec("COMMIT")
    },
    replay: () => {
      let position = 0
      let count = 0
      while (true) {
        const rows = page.all(position, PAGE)
        if (rows.length === 0) return count
        for (const row of rows) {
          JSON.parse(String(row["data"]))
          JSON.parse(String(row["metadata"]))
          position = Number(row["position"])
        }
        count += rows.length
      }
    },
    close: () => db.close()
  }
}
