import type { RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
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
  /**
   * The events up to a position of the streams whose names begin with one of these texts, in order. It looks for the streams
   * in the index of names, and reads no event of another one.
   */
  readonly ofStreams: (prefixes: ReadonlyArray<string>, upTo: number) => Iterable<RecordedEvent>
  /** The position of the last event; 0 when there is none. */
  readonly head: () => number
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
  const head = db.prepare("SELECT coalesce(max(position), 0) AS head FROM events")
  const positionsOf = db.prepare(
    `SELECT events.position FROM streams CROSS JOIN events ON stream_id = streams.id
     WHERE name >= ? AND name < ? AND events.position <= ?`
  )
  positionsOf.setReturnArrays(true)
  const readThese = db.prepare(
    `SELECT position, revision, events.type, data, metadata, recorded_at, name, '' FROM json_each(?) AS wanted
     CROSS JOIN events ON events.position = wanted.value CROSS JOIN streams ON streams.id = stream_id`
  )
  readThese.setReturnArrays(true)
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
    *ofStreams(prefixes, upTo) {
      const positions = prefixes
        .flatMap((prefix) => positionsOf.all(prefix, endOf(prefix), upTo).map(firstOf))
        .sort((one, other) => one - other)
      for (let from = 0; from < positions.length; from += TOGETHER) {
        const found: ReadonlyArray<object> = readThese.all(JSON.stringify(positions.slice(from, from + TOGETHER)))
        for (const row of found) yield eventOf(row as Row)
      }
    },
    after: (position, limit) => read(position, Number.MAX_SAFE_INTEGER, limit).map(eventOf),
    withIds: (position, limit) => readWithIds(position, Number.MAX_SAFE_INTEGER, limit).map(eventOf),
    head: () => Number(head.get()?.["head"]),
    close: () => db.close()
  }
}

/**
 * Events of one read. Hot path: more of them would survive a collection of the young generation, which copies them.
 * Guarded by `npm run bench -- rebuild`.
 */
const PAGE = 32

/** Events of one read by their positions. */
const TOGETHER = 500

const firstOf = (row: object): number => Number((row as ReadonlyArray<unknown>)[0])

/** The least text after all texts that begin with this one. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1)

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
