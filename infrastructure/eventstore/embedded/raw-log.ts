import { Effect, Option, type Scope, Stream } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { checkpointStream } from "../../../application/checkpoint-event.ts"
import type { EventMetadata, JsonObject, Position } from "../../../application/ports/event-store.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../../application/ports/log-source.ts"
import { openForReading } from "./log-file.ts"
import { uuidOf } from "./log-reader.ts"
import { storeError } from "./store-error.ts"

/** Events that are read at once: some milliseconds, then other work gets its turn. */
const PAGE = 250

/**
 * The log in a file to be examined, byte by byte, also while a service writes it: up to where it ends now. Each read is
 * over at once, so no reader keeps the writer from tidying up.
 */
export const openRawLog = (file: string): Effect.Effect<LogSource, LogSourceError, Scope.Scope> =>
  Effect.gen(function*() {
    const db = yield* Effect.acquireRelease(
      attempt(file, () => {
        const db = openForReading(file)
        // Every page is read once: to map the file would only take memory, as much as the log is long.
        db.exec("PRAGMA mmap_size = 0")
        return db
      }),
      (db) => Effect.sync(() => db.close())
    )
    const query = makeQueries(db)
    // In this order: what is appended meanwhile must not look like something that is missing.
    const handedOut = yield* attempt(file, query.handedOut)
    const head = yield* attempt(file, query.head)
    const pages = (read: (after: number) => ReadonlyArray<Row>, start: number, keyOf: (row: Row) => number) =>
      Stream.paginate(start, (after) =>
        Effect.map(attempt(file, () => read(after)), (rows) => {
          const last = rows.at(-1)
          const next = last === undefined || rows.length < PAGE ? Option.none<number>() : Option.some(keyOf(last))
          return [rows.length === 0 ? [] : [rows.map(entryOf)], next] as const
        }))
    const source: LogSource = {
      events: pages((after) => query.all(after, head), 0, ({ position }) => position).pipe(
        Stream.concat(Stream.succeed(missingAfter(head, handedOut)))
      ),
      checkpoints: pages((after) => query.stream(after, head), -1, ({ revision }) => revision).pipe(
        Stream.flattenIterable
      )
    }
    return source
  })

const attempt = <A>(file: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => {
      const { cause: why, reason } = storeError("read", cause)
      const message = `${file} cannot be read: ${why instanceof Error ? why.message : String(why)}`
      return new LogSourceError({ isDamaged: reason === "corrupt", message })
    }
  })

interface Row {
  readonly position: number
  readonly name: string | null
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

const makeQueries = (db: DatabaseSync) => {
  // As bytes: a text that is not UTF-8 would be mended on the way. A row without its stream must be seen too.
  const rows = `SELECT position, name, revision, lower(hex(event_id)) AS id, type,
    CAST(data AS BLOB) AS data, CAST(metadata AS BLOB) AS metadata
    FROM events LEFT JOIN streams ON streams.id = stream_id`
  const all = db.prepare(`${rows} WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE}`)
  const stream = db.prepare(
    `${rows} WHERE stream_id = (SELECT id FROM streams WHERE name = '${checkpointStream}')
     AND revision > ? AND position <= ? ORDER BY revision LIMIT ${PAGE}`
  )
  const head = db.prepare("SELECT coalesce(max(position), 0) AS head FROM events")
  const handedOut = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
  const rowsOf = (found: ReadonlyArray<object>) => found as ReadonlyArray<Row>
  return {
    all: (after: number, upTo: number) => rowsOf(all.all(after, upTo)),
    stream: (after: number, upTo: number) => rowsOf(stream.all(after, upTo)),
    head: () => Number(head.get()?.["head"]),
    /** The highest position that an event ever had. */
    handedOut: () => Number(handedOut.get()?.["seq"] ?? 0)
  }
}

const entryOf = (row: Row): LogEntry => {
  const position = positionOf(row.position)
  const unreadable = (why: string): LogEntry =>
    ({ _tag: "Unreadable", position, place: `position ${row.position}/${row.position}`, why })
  if (row.name === null) return unreadable("it belongs to a stream that there is not")
  try {
    const data = readObject(row.data)
    const metadata = readObject(row.metadata)
    const { id, name: stream, revision, type } = row
    return {
      _tag: "Event",
      event: {
        id: uuidOf(id),
        type,
        data: data.value,
        metadata: metadata.value as EventMetadata & JsonObject,
        stream,
        revision,
        position
      },
      ...(data.isAsWritten && metadata.isAsWritten ? {} : { oddity: "its JSON has other bytes than were written" })
    }
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause))
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** An object of the log, and whether its text is the one that the service writes for it. Throws when it is none. */
const readObject = (bytes: Uint8Array) => {
  const text = utf8.decode(bytes)
  const value: unknown = JSON.parse(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it holds no JSON object")
  return { value: value as JsonObject, isAsWritten: JSON.stringify(value) === text }
}

/** Events at the end that are gone, where the file still tells that they were. */
const missingAfter = (head: number, handedOut: number): ReadonlyArray<LogEntry> =>
  handedOut > head ? [{ _tag: "Missing", from: positionOf(head + 1), to: positionOf(handedOut) }] : []

const positionOf = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) })
