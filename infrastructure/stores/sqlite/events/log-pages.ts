import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { openForScanning } from "./log-file.ts"
import { recordedEvent } from "./log-reader.ts"

/** The whole log for projections, in a thread of its own. */
export interface LogPages {
  /** The events up to a position, in order. Throws when the file can't be read. */
  readonly pages: (upTo: number) => Iterable<ReadonlyArray<RecordedEvent>>
  readonly close: () => void
}

/** Throws as `openForScanning` does. The events have no id: no projection uses it, and reading it takes time. */
export const openLogPages = (file: string): LogPages => {
  const db = openForScanning(file)
  const read = db.prepare(
    `SELECT position, revision, type, data, metadata, recorded_at, name FROM events JOIN streams ON streams.id = stream_id
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE}`
  )
  read.setReturnArrays(true)
  const rowsOf = (found: ReadonlyArray<object>) => found as ReadonlyArray<Row>
  return {
    *pages(upTo) {
      for (let after = 0;;) {
        const rows = rowsOf(read.all(after, upTo))
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows.map(eventOf)
        after = last[0]
      }
    },
    close: () => db.close()
  }
}

/** Events of one read. They are short-lived, so that collecting them as garbage costs little. */
const PAGE = 256

type Row = readonly [
  position: number,
  revision: number,
  type: string,
  data: string,
  metadata: string,
  recordedAt: number,
  stream: string
]

const eventOf = ([position, revision, type, data, metadata, recordedAt, stream]: Row): RecordedEvent =>
  recordedEvent({ id: "", type, data, metadata, stream, revision, position, recordedAt })
