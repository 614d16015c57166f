import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { openForScanning } from "./log-file.ts"
import { recordedEvent, uuidOf } from "./log-reader.ts"

/** The log for projections, in a thread of its own. */
export interface LogPages {
  /** The events after a position up to another, in order. Throws when the file can't be read. */
  readonly pages: (after: number, upTo: number) => Iterable<ReadonlyArray<RecordedEvent>>
  /** At most `limit` events after a position. Throws when the file can't be read. */
  readonly after: (position: number, limit: number) => ReadonlyArray<RecordedEvent>
  /** The same events with their ids. */
  readonly withIds: (position: number, limit: number) => ReadonlyArray<RecordedEvent>
  readonly close: () => void
}

/** Throws as `openForScanning` does. The pages of projections have no ids: reading them takes time. */
export const openLogPages = (file: string): LogPages => {
  const db = openForScanning(file)
  const prepare = (id: string) => {
    const read = db.prepare(
      `SELECT position, revision, type, data, metadata, recorded_at, name, ${id} FROM events
       JOIN streams ON streams.id = stream_id WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`
    )
    read.setReturnArrays(true)
    return (after: number, upTo: number, limit: number) => {
      const found: ReadonlyArray<object> = read.all(after, upTo, limit)
      return found as ReadonlyArray<Row>
    }
  }
  const [read, readWithIds] = [prepare("''"), prepare("lower(hex(event_id))")]
  return {
    *pages(from, upTo) {
      for (let after = from;;) {
        const rows = read(after, upTo, PAGE)
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows.map(eventOf)
        after = last[0]
      }
    },
    after: (position, limit) => read(position, Number.MAX_SAFE_INTEGER, limit).map(eventOf),
    withIds: (position, limit) => readWithIds(position, Number.MAX_SAFE_INTEGER, limit).map(eventOf),
    close: () => db.close()
  }
}

/** Events of one read. With more, most of them would survive a collection of the young generation, which copies them. */
const PAGE = 32

type Row = readonly [
  position: number,
  revision: number,
  type: string,
  data: string,
  metadata: string,
  recordedAt: number,
  stream: string,
  id: string
]

const eventOf = ([position, revision, type, data, metadata, recordedAt, stream, id]: Row): RecordedEvent =>
  recordedEvent({ id: id === "" ? "" : uuidOf(id), type, data, metadata, stream, revision, position, recordedAt })
