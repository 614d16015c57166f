import { DatabaseSync } from "node:sqlite"
import { cacheSizeOf } from "../cache-size.ts"
import { faultsOfSchema, partsOfSchema, type SchemaFault } from "../own-schema.ts"

/** The format of the file. A program refuses a file of a higher format, because it could corrupt it. */
export const FORMAT = 1

/**
 * Opens the log for its only writing connection, and creates the schema in a new file. Throws when the file can't be
 * opened, has a newer format, is not an event log or has a foreign schema.
 */
export const openForWriting = (file: string): DatabaseSync => {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // The timeout comes first: the next statement may already wait for the lock of another process.
    db.exec("PRAGMA busy_timeout = 5000")
    const format = formatOf(db, file)
    // FULL: with NORMAL a commit in WAL mode returns before it is on the disk. fullfsync: on macOS a plain fsync
    // stops at the drive's cache; elsewhere it has no effect.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
    db.exec(`PRAGMA cache_size = ${cacheSizeOf(file)}`)
    // 32 MB. Appends wait for this checkpoint. Under load the thread of the read models makes most of it before.
    db.exec("PRAGMA wal_autocheckpoint = 8192")
    if (format === undefined) db.exec(SCHEMA)
    requireOwnSchema(db, file)
    db.exec(UNUSED)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * Opens an existing log for checkpoints, which move the write-ahead log into the file while the writing connection appends.
 * What is in the write-ahead log is durable already. Throws when the file can't be opened.
 */
export const openForCheckpoints = (file: string): DatabaseSync => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA busy_timeout = 1000; PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON")
  db.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -64")
  return db
}

/** Opens an existing log for reading. Throws as `openForWriting` does, and when there is no log yet. */
export const openForReading = (file: string): DatabaseSync =>
  // Every commit of the writer empties the page cache. Mapped pages are available again without a system call.
  openReadOnly(file, "PRAGMA cache_size = -32768; PRAGMA mmap_size = 1073741824")

/** The same for reading the whole log once: a mapped file and a large cache would only use memory. */
export const openForScanning = (file: string): DatabaseSync =>
  openReadOnly(file, "PRAGMA cache_size = -2048; PRAGMA mmap_size = 0")

const openReadOnly = (file: string, memory: string): DatabaseSync => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    db.exec(`PRAGMA busy_timeout = 5000; ${memory}`)
    if (formatOf(db, file) === undefined) throw new Error(`${file} holds no event log yet: start the service once`)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

// Only features of SQLite 3.40, so that an older sqlite3 on the command line reads the file too.
const SCHEMA = `
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS streams(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  head INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS events(
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream_id INTEGER NOT NULL REFERENCES streams(id),
  revision INTEGER NOT NULL,
  event_id BLOB NOT NULL CHECK(length(event_id) = 16),
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  metadata TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events(stream_id, revision);
CREATE VIEW IF NOT EXISTS event_log AS
SELECT
  events.position,
  streams.name AS stream,
  events.revision,
  events.type,
  strftime('%Y-%m-%dT%H:%M:%fZ', events.recorded_at / 1000.0, 'unixepoch') AS recorded_at,
  events.data,
  events.metadata,
  lower(hex(events.event_id)) AS event_id
FROM events JOIN streams ON streams.id = events.stream_id;
INSERT OR IGNORE INTO meta(key, value) VALUES ('format', '${FORMAT}');
COMMIT;
`

/** Earlier versions had an index of ids. Ids are random: each event changed another page of it. */
const UNUSED = "DROP INDEX IF EXISTS events_by_id"
const EARLIER_INDEX = "CREATE UNIQUE INDEX events_by_id ON events(event_id)"

/** Every difference from the schema that this version or an earlier one creates. */
export const faultsOfLogSchema = (db: DatabaseSync): ReadonlyArray<SchemaFault> => {
  const own = partsOfSchema(SCHEMA)
  const before = partsOfSchema(`${SCHEMA};${EARLIER_INDEX}`)
  return faultsOfSchema(db, own, before.filter(({ bytes }) => !own.some((part) => part.bytes === bytes)))
}

/** What is foreign in the schema of a log, and what to do; undefined when nothing is. */
export const foreignSchemaOf = (db: DatabaseSync): { readonly found: string; readonly advice: string } | undefined => {
  const faults = faultsOfLogSchema(db)
  if (faults.length === 0) return undefined
  const more = faults.length > MOST_NAMED ? `; and ${faults.length - MOST_NAMED} more` : ""
  const statements = faults.flatMap(({ mendedBy }) => mendedBy ?? [])
  return {
    found: faults.slice(0, MOST_NAMED).map(({ what }) => what).join("; ") + more,
    advice: statements.length < faults.length
      ? "stop the service, copy the file, and restore a backup"
      : `stop the service, copy the file, and mend its schema with sqlite3: ${statements.join("; ")}`
  }
}

/**
 * Throws when the schema is not that of SlipTrail: queries could then return other events than `trail verify` proves, and
 * appends could write others.
 */
export const requireOwnSchema = (db: DatabaseSync, file: string): void => {
  const foreign = foreignSchemaOf(db)
  if (foreign === undefined) return
  const { advice, found } = foreign
  throw new Error(`${file} has a foreign schema: ${found}. Queries may return other events than the log has: ${advice}`)
}

/** The most parts that a message names. */
const MOST_NAMED = 5

/** The format of a log; undefined when the database is empty. */
const formatOf = (db: DatabaseSync, file: string): number | undefined => {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all().map((row) => row["name"])
  if (tables.length === 0) return undefined
  const row = tables.includes("meta") ? db.prepare("SELECT value FROM meta WHERE key = 'format'").get() : undefined
  const format = Number(row?.["value"])
  if (!Number.isInteger(format)) throw new Error(`${file} is a database, but no event log of SlipTrail`)
  if (format > FORMAT) {
    throw new Error(
      `${file} has format ${format}, this version of SlipTrail reads up to ${FORMAT}: use the version that wrote it`
    )
  }
  return format
}
