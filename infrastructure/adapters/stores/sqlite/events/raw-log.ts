import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { Buffer } from "node:buffer"
import type { DatabaseSync } from "node:sqlite"
import { treeHeadStream } from "../../../../../domain/log-proof/pending-block.ts"
import type { EventMetadata, JsonObject, Position } from "../../../../../domain/events/recorded-event.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../../../../ports/log-source.ts"
import { examineFile } from "../examine-file.ts"
import { headerOf } from "../own-schema.ts"
import { faultsOfLogSchema, FORMAT, openForScanning } from "./log-file.ts"
import { uuidOf } from "./log-reader.ts"
import { storeError } from "./store-error.ts"

/** Events of one read: some milliseconds of work before the event loop continues. */
const PAGE = 250

/**
 * Opens the log in a file for `trail verify`, up to its current end, also while a service writes it. It reads bytes, so
 * that it finds changes that SQLite or JSON parsing would hide. No read transaction stays open between two pages, so
 * the writer can truncate the write-ahead log.
 */
export const openRawLog = (file: string): Effect.Effect<LogSource, LogSourceError, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(
      attempt(file, () => openForScanning(file)),
      (db) => Effect.sync(() => db.close())
    )
    const outside = yield* attempt(file, () => faultsOutsideEvents(db))
    // Beside the reading: the thread takes another processor.
    const pagesExamined = yield* Effect.forkScoped(Effect.mapError(
      examineFile({ file, most: MOST_PAGE_FAULTS }),
      ({ cause }) => toSourceError(file)(cause)
    ))
    const query = yield* attempt(file, () => makeQueries(db))
    // The counter is read first: an event that is appended in between must not look missing.
    const lastAssigned = yield* attempt(file, query.lastAssigned)
    const head = yield* attempt(file, query.head)
    const pages = (read: (from: bigint) => ReadonlyArray<Row>, keyOf: (row: Row) => bigint) =>
      Stream.paginate(FIRST, (from) =>
        Effect.map(attempt(file, () => read(from)), (rows) => {
          const last = rows.at(-1)
          const isLastPage = last === undefined || rows.length < PAGE
          return [
            rows.length === 0 ? [] : [rows.map(entryOf)],
            isLastPage ? Option.none<bigint>() : Option.some(keyOf(last) + 1n)
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
    return {
      events: Stream.succeed<ReadonlyArray<LogEntry>>([...outside.map(changed), ...counterFault(head, lastAssigned)])
        .pipe(
          Stream.concat(pages((from) => query.all(from, head), ({ position }) => position)),
          Stream.concat(Stream.succeed(missingAfter(head, lastAssigned))),
          Stream.concat(Stream.fromEffect(Effect.map(Stream.runCollect(ends), wrongEnds))),
          Stream.concat(Stream.fromEffect(Effect.map(Fiber.join(pagesExamined), pageFaults)))
        ),
      treeHeads: pages((from) => query.stream(from, head), ({ revision }) => revision).pipe(
        Stream.flattenIterable
      )
    } satisfies LogSource
  })

/** The least integer of SQLite, so that events at zero and negative positions are read too. */
const FIRST = -(2n ** 63n)

/** Returns one entry for all wrong ends: a log whose end was cut off may have very many. */
const wrongEnds = (pages: ReadonlyArray<StreamEnds>): ReadonlyArray<LogEntry> => {
  const count = pages.reduce((sum, { wrong }) => sum + wrong, 0)
  const first = pages.find(({ first }) => first !== undefined)?.first
  if (first === undefined) return []
  return [
    changed(`${count} ${count === 1 ? "stream does" : "streams do"} not end where the file says, such as ${first}`)
  ]
}

const changed = (what: string): LogEntry => ({ _tag: "StoreChanged", what })

/** The most faults of pages that are reported. */
const MOST_PAGE_FAULTS = 20

const pageFaults = (faults: ReadonlyArray<string>): ReadonlyArray<LogEntry> =>
  faults.map((fault) =>
    changed(`the file shows different events in its table and in its indexes, or is damaged: ${fault}`)
  )

/**
 * What differs beside the events from a file that SlipTrail wrote. With the schema of SlipTrail, and indexes that show the
 * rows of their tables (`examineFile`), every query of the service returns what is read here.
 */
const faultsOutsideEvents = (db: DatabaseSync): ReadonlyArray<string> => {
  const texts = (sql: string) => db.prepare(sql).all().map((row) => Object.values(row).map(String).join(" "))
  const rows = [
    {
      table: "meta",
      found: texts("SELECT hex(key), hex(value) FROM meta"),
      most: [hexOf("format"), hexOf(`${FORMAT}`)]
    },
    { table: "sqlite_sequence", found: texts("SELECT hex(name) FROM sqlite_sequence"), most: [hexOf("events")] }
  ]
  return [
    ...faultsOfLogSchema(db).map(({ what }) => what),
    ...Object.entries(headerOf(db)).filter(([, value]) => value !== 0).map(([name, value]) =>
      `the ${name} of the file is ${String(value)}, but SlipTrail sets none`
    ),
    ...rows.filter(({ found, most }) => found.length > 1 || found.some((row) => row !== most.join(" "))).map((
      { table }
    ) => `the table ${table} has other rows than SlipTrail writes`)
  ]
}

const hexOf = (text: string): string => Buffer.from(text).toString("hex").toUpperCase()

const attempt = <A>(file: string, run: () => A) => Effect.try({ try: run, catch: toSourceError(file) })

const toSourceError = (file: string) => (cause: unknown): LogSourceError => {
  const { cause: why, reason } = storeError("read", cause)
  const message = `${file} cannot be read: ${why instanceof Error ? why.message : String(why)}`
  return new LogSourceError({ isDamaged: reason === "corrupt", message })
}

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
  // As bytes: SQLite repairs a text that is not UTF-8, and Deno ends a text at its first zero. LEFT JOIN, so that a row
  // without its stream is read too.
  const rows = `SELECT position, CAST(name AS BLOB) AS name, revision, lower(hex(event_id)) AS id,
    CAST(type AS BLOB) AS type, CAST(data AS BLOB) AS data, CAST(metadata AS BLOB) AS metadata
    FROM events LEFT JOIN streams ON streams.id = stream_id`
  const all = db.prepare(`${rows} WHERE position >= ? AND position <= ? ORDER BY position LIMIT ${PAGE}`)
  const stream = db.prepare(
    `${rows} WHERE stream_id = (SELECT id FROM streams WHERE name = '${treeHeadStream}')
     AND revision >= ? AND position <= ? ORDER BY revision LIMIT ${PAGE}`
  )
  const head = db.prepare("SELECT coalesce(max(position), 0) AS head FROM events")
  const lastAssigned = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
  // A forged file may hold integers that a JavaScript number cannot.
  for (const query of [all, stream, head, lastAssigned]) query.setReadBigInts(true)
  const rowsOf = (found: ReadonlyArray<object>) => found as ReadonlyArray<Row>
  return {
    all: (from: bigint, upTo: bigint) => rowsOf(all.all(from, upTo)),
    stream: (from: bigint, upTo: bigint) => rowsOf(stream.all(from, upTo)),
    head: () => numberOf(head.get()?.["head"]),
    /** The highest position that SQLite has assigned to an event. */
    lastAssigned: () => numberOf(lastAssigned.get()?.["seq"])
  }
}

/** An integer of SQLite; 0 when there is no row or no integer. */
const numberOf = (value: unknown): bigint => typeof value === "bigint" ? value : 0n

const entryOf = (row: Row): LogEntry => {
  const position = positionOf(row.position)
  const unreadable = (why: string): LogEntry => ({
    _tag: "Unreadable",
    position,
    place: `position ${row.position}/${row.position}`,
    why
  })
  if (row.name === null) return unreadable("its stream does not exist")
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
      ...(data.isAsWritten && metadata.isAsWritten ? {} : { anomaly: "its JSON has other bytes than were written" })
    }
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause))
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses an object, and compares its text with the text that the service writes. Throws when it is not an object. */
const readObject = (bytes: Uint8Array) => {
  const text = utf8.decode(bytes)
  const value: unknown = JSON.parse(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it holds no JSON object")
  return { value: value as JsonObject, isAsWritten: JSON.stringify(value) === text }
}

/** The missing events at the end: SQLite assigned their positions, but the file does not contain them. */
const missingAfter = (head: bigint, lastAssigned: bigint): ReadonlyArray<LogEntry> =>
  lastAssigned > head ? [{ _tag: "Missing", from: positionOf(head + 1n), to: positionOf(lastAssigned) }] : []

/** SQLite's counter is never below the last position. */
const counterFault = (head: bigint, lastAssigned: bigint): ReadonlyArray<LogEntry> =>
  lastAssigned < head
    ? [changed(`the last position that the file has assigned is ${lastAssigned}, but there is an event at ${head}`)]
    : []

const positionOf = (position: bigint): Position => ({ commit: position, prepare: position })

/** Streams of one read: some milliseconds. */
const STREAMS_PER_PAGE = 1_000

/** Streams whose stored head differs from their last event: later appends are refused or get a wrong revision. */
export interface StreamEnds {
  readonly wrong: number
  /** A description of the first of them. */
  readonly first: string | undefined
  /** The id after which the next page begins; undefined when there is none. */
  readonly next: bigint | undefined
}

export const makeStreamEnds = (db: DatabaseSync): (after: bigint) => StreamEnds => {
  const page = db.prepare(
    `SELECT id, name, head, (SELECT max(revision) FROM events WHERE stream_id = streams.id) AS last
     FROM streams WHERE id > ? ORDER BY id LIMIT ${STREAMS_PER_PAGE}`
  )
  page.setReadBigInts(true)
  return (after) => {
    const rows = page.all(after)
    const id = rows.at(-1)?.["id"]
    const wrong = rows.filter(({ head, last }) => head !== last)
    return {
      wrong: wrong.length,
      first: wrong.slice(0, 1).map(({ head, last, name }) => {
        const end = last === null ? "the stream has no event" : `its last event is ${String(last)}`
        return `${String(name)}: the file states revision ${String(head)}, but ${end}`
      })[0],
      next: rows.length === STREAMS_PER_PAGE && typeof id === "bigint" ? id : undefined
    }
  }
}
