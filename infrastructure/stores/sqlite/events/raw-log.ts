import { Effect, Option, type Scope, Stream } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { checkpointStream } from "../../../../application/log-proof/tree-head-event.ts"
import type { EventMetadata, JsonObject, Position } from "../../../../domain/events/recorded-event.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../../../ports/log-source.ts"
import { openForReading } from "./log-file.ts"
import { faultsOfSchema, makeStreamEnds, type StreamEnds } from "./log-frame.ts"
import { uuidOf } from "./log-reader.ts"
import { storeError } from "./store-error.ts"

/** Events that are read at once: some milliseconds, then other work gets its turn. */
const PAGE = 250

/**
 * The log in a file to be examined, byte by byte, also while a service writes it: up to where it ends now. Each read is
 * over at once, so no reader keeps the writer from tidying up.
 */
export const openRawLog = (file: string): Effect.Effect<LogSource, LogSourceError, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(
      attempt(file, () => {
        const db = openForReading(file)
        // Every page is read once: to map the file would only take memory, as much as the log is long.
        db.exec("PRAGMA mmap_size = 0")
        return db
      }),
      (db) => Effect.sync(() => db.close())
    )
    const schema = yield* attempt(file, () => faultsOfSchema(db))
    const query = yield* attempt(file, () => makeQueries(db))
    // In this order: what is appended meanwhile must not look like something that is missing.
    const handedOut = yield* attempt(file, query.handedOut)
    const head = yield* attempt(file, query.head)
    const pages = (read: (from: bigint) => ReadonlyArray<Row>, keyOf: (row: Row) => bigint) =>
      Stream.paginate(FIRST, (from) =>
        Effect.map(attempt(file, () => read(from)), (rows) => {
          const last = rows.at(-1)
          const isOver = last === undefined || rows.length < PAGE
          return [
            rows.length === 0 ? [] : [rows.map(entryOf)],
            isOver ? Option.none<bigint>() : Option.some(keyOf(last) + 1n)
          ] as const
        }))
    const endsOf = yield* attempt(file, () => makeStreamEnds(db))
    const ends = Stream.paginate(
      FIRST,
      (after) =>
        Effect.map(
          attempt(file, () => endsOf(after)),
          (found) => [[found], Option.fromUndefinedOr(found.next)] as const
        )
    )
    const source: LogSource = {
      events: Stream.succeed<ReadonlyArray<LogEntry>>([...schema.map(amiss), ...countedBack(head, handedOut)]).pipe(
        Stream.concat(pages((from) => query.all(from, head), ({ position }) => position)),
        Stream.concat(Stream.succeed(missingAfter(head, handedOut))),
        Stream.concat(Stream.fromEffect(Effect.map(Stream.runCollect(ends), wrongEnds)))
      ),
      checkpoints: pages((from) => query.stream(from, head), ({ revision }) => revision).pipe(
        Stream.flattenIterable
      )
    }
    return source
  })

/** The least number that SQLite knows: an event in front of the first would be read with its stream all the same. */
const FIRST = -(2n ** 63n)

/** One remark about all of them: of a log whose end was cut off they may be very many. */
const wrongEnds = (pages: ReadonlyArray<StreamEnds>): ReadonlyArray<LogEntry> => {
  const count = pages.reduce((sum, { wrong }) => sum + wrong, 0)
  const first = pages.find(({ first }) => first !== undefined)?.first
  if (first === undefined) return []
  return [amiss(`${count} ${count === 1 ? "stream does" : "streams do"} not end where the file says, such as ${first}`)]
}

const amiss = (what: string): LogEntry => ({ _tag: "Amiss", what })

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
  readonly position: bigint
  readonly name: Uint8Array | null
  readonly revision: bigint
  readonly id: string
  readonly type: Uint8Array
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

const makeQueries = (db: DatabaseSync) => {
  // As bytes: a text that is not UTF-8 would be mended on the way, and Deno ends one at its first zero. A row without
  // its stream must be seen too.
  const rows = `SELECT position, CAST(name AS BLOB) AS name, revision, lower(hex(event_id)) AS id,
    CAST(type AS BLOB) AS type, CAST(data AS BLOB) AS data, CAST(metadata AS BLOB) AS metadata
    FROM events LEFT JOIN streams ON streams.id = stream_id`
  const all = db.prepare(`${rows} WHERE position >= ? AND position <= ? ORDER BY position LIMIT ${PAGE}`)
  const stream = db.prepare(
    `${rows} WHERE stream_id = (SELECT id FROM streams WHERE name = '${checkpointStream}')
     AND revision >= ? AND position <= ? ORDER BY revision LIMIT ${PAGE}`
  )
  const head = db.prepare("SELECT coalesce(max(position), 0) AS head FROM events")
  const handedOut = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
  // Whoever writes into the file may write numbers that JavaScript has no other way to read.
  for (const query of [all, stream, head, handedOut]) query.setReadBigInts(true)
  const rowsOf = (found: ReadonlyArray<object>) => found as ReadonlyArray<Row>
  return {
    all: (from: bigint, upTo: bigint) => rowsOf(all.all(from, upTo)),
    stream: (from: bigint, upTo: bigint) => rowsOf(stream.all(from, upTo)),
    head: () => numberOf(head.get()?.["head"]),
    /** The highest position that an event ever had. */
    handedOut: () => numberOf(handedOut.get()?.["seq"])
  }
}

/** What SQLite counts; there may be nothing to count yet, or something else in its place. */
const numberOf = (value: unknown): bigint => typeof value === "bigint" ? value : 0n

const entryOf = (row: Row): LogEntry => {
  const position = positionOf(row.position)
  const unreadable = (why: string): LogEntry => ({
    _tag: "Unreadable",
    position,
    place: `position ${row.position}/${row.position}`,
    why
  })
  if (row.name === null) return unreadable("it belongs to a stream that there is not")
  const revision = Number(row.revision)
  if (!Number.isSafeInteger(revision)) return unreadable("no event has such a revision")
  try {
    const data = readObject(row.data)
    const metadata = readObject(row.metadata)
    return {
      _tag: "Event",
      event: {
        id: uuidOf(row.id),
        type: utf8.decode(row.type),
        data: data.value,
        metadata: metadata.value as EventMetadata & JsonObject,
        stream: utf8.decode(row.name),
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
const missingAfter = (head: bigint, handedOut: bigint): ReadonlyArray<LogEntry> =>
  handedOut > head ? [{ _tag: "Missing", from: positionOf(head + 1n), to: positionOf(handedOut) }] : []

/** SQLite never remembers less than there is. */
const countedBack = (head: bigint, handedOut: bigint): ReadonlyArray<LogEntry> =>
  handedOut < head
    ? [amiss(`the highest position that the file remembers is ${handedOut}, and there is an event at ${head}`)]
    : []

const positionOf = (position: bigint): Position => ({ commit: position, prepare: position })
