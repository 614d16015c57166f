import type { DatabaseSync } from "node:sqlite"
import { openForReading, openForScanning, requireOwnSchema } from "./log-file.ts"
import type { EventMetadata, JsonObject, RecordedEvent } from "../../../../../domain/events/recorded-event.ts"

/**
 * Reads the log on connections of its own: one for streams, one for the whole log. Every call reads one page; no transaction stays open, however slowly the caller
 * uses the result. Positions are the `commit` of the port. Every call throws when the file can't be read.
 */
export interface LogReader {
  /** Events of a stream at or before position `upTo`; `limit` -1 is no limit. */
  readonly stream: (name: string, from: number, limit: number, upTo: number) => ReadonlyArray<RecordedEvent>
  /** Events after `after`, at or before `upTo`. */
  readonly all: (after: number, limit: number, upTo: number) => ReadonlyArray<RecordedEvent>
  /**
   * At most `limit` names of streams after a name, in their order. It reads the index in which each append looks for its
   * stream, so the system holds it in memory afterwards.
   */
  readonly streams: (after: string, limit: number) => ReadonlyArray<string>
  /** Names of the streams of events after `after`, at or before `upTo`; a name may appear twice. */
  readonly streamsBetween: (after: number, upTo: number) => ReadonlyArray<string>
  /** Position of the last event, 0 when there is none. */
  readonly lastPosition: () => number
  /** A number that changes whenever another connection, of this or another process, has committed. */
  readonly dataVersion: () => number
  readonly close: () => void
}

/** Throws as `openForReading` does, and when the file has a foreign schema. */
export const makeLogReader = (file: string): LogReader => {
  const db = openForReading(file)
  try {
    requireOwnSchema(db, file)
    return makeReader(db, openForScanning(file))
  } catch (cause) {
    db.close()
    throw cause
  }
}

const makeReader = (db: DatabaseSync, scan: DatabaseSync): LogReader => {
  const columns = "position, revision, lower(hex(event_id)) AS id, type, data, metadata, recorded_at"
  const readStream = db.prepare(
    `SELECT ${columns} FROM events
     WHERE stream_id = (SELECT id FROM streams WHERE name = ?) AND revision >= ? AND position <= ?
     ORDER BY revision LIMIT ?`
  )
  const readAll = scan.prepare(
    `SELECT ${columns}, name FROM events JOIN streams ON streams.id = stream_id
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`
  )
  const names = scan.prepare("SELECT name FROM streams WHERE name > ? ORDER BY name LIMIT ?")
  const namesBetween = scan.prepare(
    "SELECT name FROM events JOIN streams ON streams.id = stream_id WHERE position > ? AND position <= ?"
  )
  const lastPosition = db.prepare("SELECT coalesce(max(position), 0) AS position FROM events")
  const dataVersion = db.prepare("PRAGMA data_version")

  return {
    stream: (name, from, limit, upTo) => readStream.all(name, from, upTo, limit).map((row) => eventOf(row, name)),
    all: (after, limit, upTo) => readAll.all(after, upTo, limit).map((row) => eventOf(row, row["name"] as string)),
    streams: (after, limit) => names.all(after, limit).map(nameOf),
    streamsBetween: (after, upTo) => namesBetween.all(after, upTo).map(nameOf),
    lastPosition: () => lastPosition.get()?.["position"] as number,
    dataVersion: () => dataVersion.get()?.["data_version"] as number,
    close: () => {
      scan.close()
      db.close()
    }
  }
}

type Row = ReturnType<ReturnType<DatabaseSync["prepare"]>["all"]>[number]

const nameOf = ({ name }: Row): string => name as string

const eventOf = (row: Row, stream: string): RecordedEvent =>
  recordedEvent({
    id: uuidOf(row["id"] as string),
    type: row["type"] as string,
    data: row["data"] as string,
    metadata: row["metadata"] as string,
    stream,
    revision: row["revision"] as number,
    position: row["position"] as number,
    recordedAt: row["recorded_at"] as number
  })

/** An event in the file, with data and metadata as JSON. */
export interface StoredEvent extends Pick<RecordedEvent, "id" | "type" | "stream" | "revision" | "recordedAt"> {
  readonly data: string
  readonly metadata: string
  readonly position: number
}

/** Throws when data or metadata is not JSON. */
export const recordedEvent = ({ data, metadata, position: at, ...stored }: StoredEvent): RecordedEvent => {
  const position = BigInt(at)
  return {
    ...stored,
    data: JSON.parse(data) as JsonObject,
    metadata: JSON.parse(metadata) as EventMetadata,
    position: { commit: position, prepare: position }
  }
}

export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
