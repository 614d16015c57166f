import { Buffer } from "node:buffer"
import type { DatabaseSync } from "node:sqlite"

/** Four texts for each event, one event after the other: id, type, data and metadata as JSON. */
export type FlatEvents = ReadonlyArray<string>

/**
 * An append for the writer thread: a tuple of texts and numbers, which clones cheaply. `expected` is the
 * revision of the stream's last event, -1 when the stream must not exist yet.
 */
export type AppendMessage = readonly [stream: string, expected: number, events: FlatEvents]

/**
 * - `appended`: revision and position of the last event
 * - `repeated`: the same; an earlier append with the same ids wrote them
 * - `wrong-revision`: revision of the stream's last event, -1 when there is no stream; the position is unused
 */
export type AppendOutcome = readonly [
  kind: "appended" | "repeated" | "wrong-revision",
  revision: number,
  position: number
]

/** A batch that is durable. */
export interface Committed {
  /** One for each append, in their order. */
  readonly outcomes: ReadonlyArray<AppendOutcome>
  /** Position of the last event in the log after the batch. */
  readonly head: number
}

/**
 * Makes the function that writes a batch of appends in one transaction. A refused append is a value, so the others of
 * its batch are committed. An I/O error throws, and then nothing of the batch is in the log. `now` is in milliseconds
 * since 1970.
 */
export const makeAppendBatch = (
  db: DatabaseSync
): (appends: ReadonlyArray<AppendMessage>, now: number) => Committed => {
  // IMMEDIATE: a transaction that reads first and then writes can lose its lock to another process in between.
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const findHead = db.prepare("SELECT coalesce(max(position), 0) AS head FROM events")
  const append = makeAppend(db)

  return (appends, now) => {
    begin.run()
    try {
      const outcomes = appends.map((message) => append(message, now))
      commit.run()
      return { outcomes, head: findHead.get()?.["head"] as number }
    } catch (cause) {
      try {
        rollback.run()
      } catch {
        // A full disk or an I/O error has rolled back already; the first error is the cause.
      }
      throw cause
    }
  }
}

const makeAppend = (db: DatabaseSync) => {
  const findStream = db.prepare("SELECT id, head FROM streams WHERE name = ?")
  const addStream = db.prepare("INSERT INTO streams(name, head) VALUES (?, ?)")
  const moveStream = db.prepare("UPDATE streams SET head = ? WHERE id = ?")
  const findNext = db.prepare(
    "SELECT event_id, position FROM events WHERE stream_id = ? AND revision > ? ORDER BY revision LIMIT ?"
  )
  const addEvent = db.prepare(
    `INSERT INTO events(stream_id, revision, event_id, type, data, metadata, recorded_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`
  )
  /** The position of the last event of an append that the log has already. */
  const repeatedAt = (streamId: number, expected: number, ids: ReadonlyArray<Buffer>): number | undefined => {
    const stored = findNext.all(streamId, expected, ids.length)
    const isRepeated = ids.every((id, index) => {
      const known = stored[index]?.["event_id"]
      return known instanceof Uint8Array && id.equals(known)
    })
    return isRepeated ? stored.at(-1)?.["position"] as number : undefined
  }

  return ([stream, expected, events]: AppendMessage, now: number): AppendOutcome => {
    const ids = idsOf(events)
    const found = findStream.get(stream)
    const head = found === undefined ? -1 : found["head"] as number
    if (head !== expected) {
      const at = found === undefined ? undefined : repeatedAt(found["id"] as number, expected, ids)
      return at === undefined ? ["wrong-revision", head, 0] : ["repeated", expected + ids.length, at]
    }

    const last = head + ids.length
    const streamId = found === undefined ? addStream.run(stream, last).lastInsertRowid : found["id"] as number
    if (found !== undefined) moveStream.run(last, streamId)
    let position = 0
    ids.forEach((id, index) => {
      const [type = "", data = "", metadata = ""] = events.slice(index * 4 + 1, index * 4 + 4)
      position = Number(addEvent.run(streamId, head + 1 + index, id, type, data, metadata, now).lastInsertRowid)
    })
    return ["appended", last, position]
  }
}

const idsOf = (events: FlatEvents): ReadonlyArray<Buffer> => {
  const ids: Array<Buffer> = []
  for (let at = 0; at < events.length; at += 4) ids.push(Buffer.from((events[at] ?? "").replaceAll("-", ""), "hex"))
  return ids
}
