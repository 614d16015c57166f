import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Position } from "../../../../../domain/events/recorded-event.ts"
import { faultsOfSchema, partsOfSchema, pragma } from "../own-schema.ts"
import { makeTables, type Tables } from "./tables.ts"

/** "SlRM" in the header of the file distinguishes it from other SQLite files. */
const applicationId = 0x536c524d

/** A file of another version is deleted and rebuilt from the log; there are no migrations. */
const schemaVersion = 3

/**
 * Two processes may create the file at the same time, hence IF NOT EXISTS. The schema is created before the file is in
 * WAL mode, so that the application id is in the file itself at once.
 *
 * The content of a model has a generation: clearing or replacing a model only changes the number in `models`, and takes no
 * longer for a large model. A generation without a model is garbage, which is deleted in small steps.
 *
 * Members refer to their set by a number, because set names are long. The size of a set is stored, so that counting
 * takes constant time. `members` and `scored` hold the same members in two orders: an index could not be filled in its
 * own order. Members of fixed sets are in `scored` only. Rows are in a rowid table: with a kilobyte of JSON in the key's own tree, few keys fit on a page.
 */
export const schema = `
BEGIN IMMEDIATE;
PRAGMA application_id=${applicationId};
CREATE TABLE IF NOT EXISTS generations(
  id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;
CREATE TABLE IF NOT EXISTS models(
  name TEXT PRIMARY KEY,
  generation INTEGER NOT NULL UNIQUE,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows(
  generation INTEGER NOT NULL,
  tbl TEXT NOT NULL,
  key TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY(generation, tbl, key)
) STRICT;
CREATE TABLE IF NOT EXISTS sets(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  generation INTEGER NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  UNIQUE(generation, name)
) STRICT;
CREATE TABLE IF NOT EXISTS members(
  set_id INTEGER NOT NULL,
  member TEXT NOT NULL,
  score REAL NOT NULL,
  PRIMARY KEY(set_id, member)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scored(
  set_id INTEGER NOT NULL,
  score REAL NOT NULL,
  member TEXT NOT NULL,
  PRIMARY KEY(set_id, score, member)
) STRICT, WITHOUT ROWID;
PRAGMA user_version=${schemaVersion};
COMMIT`

export interface Opened {
  readonly tables: Tables
  /** The checkpoints of the models in it. */
  readonly checkpoints: ReadonlyArray<readonly [model: string, Position]>
  /** Why the file that was there was replaced; undefined when it was not. */
  readonly replaced: string | undefined
}

/**
 * Opens the file of the read models. Creates the file and its folder when they are missing.
 *
 * A damaged file is deleted, because the log rebuilds it. A file of another kind is renamed and never deleted: a setting
 * that names the event log by mistake must not cost the log. Throws what the file system or SQLite throws.
 * The check reads the whole file. Without it, and in a large file, damage shows when a damaged page is read.
 */
export const openTables = (file: string, isChecked = true): Opened => {
  mkdirSync(dirname(file), { recursive: true })
  discardSnapshot(file)
  if (ownerOf(file) === "other") {
    const renamed = putAside(file)
    return {
      tables: open(file, isChecked),
      checkpoints: [],
      replaced: `not a file of read models, renamed to ${renamed}`
    }
  }
  try {
    return opened(file, isChecked)
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    discard(file)
    return { ...opened(file, isChecked), replaced: cause.message }
  }
}

const opened = (file: string, isChecked: boolean): Opened => {
  const tables = open(file, isChecked)
  return { tables, checkpoints: tables.checkpoints(), replaced: undefined }
}

/** Earlier versions kept a second file as large as this one, which no version reads any more. */
const discardSnapshot = (file: string): void => {
  for (const suffix of [".snapshot", ".snapshot.new"]) rmSync(file + suffix, { force: true })
}

/**
 * Opens the file read-only, also while another process writes it. Creates, repairs and renames nothing. Throws when
 * there is no such file, or none that this version reads.
 */
export const openTablesForReading = (file: string): Tables => {
  const owner = ownerOf(file)
  if (owner === "none") throw new Error(`there are no read models at ${file}: start the service once`)
  if (owner === "other") throw new Error(`${file} is not a file of read models`)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout=1000; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY")
    if (pragma(database, "user_version") !== schemaVersion) throw new Damaged(`${file} was written by another version`)
    return prepare(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** A tenth of a second. */
const MOST_CHECKED = 64 * 2 ** 20

/** Deletes the file and the files of SQLite that belong to it. */
export const discard = (file: string): void => {
  for (const suffix of suffixes) rmSync(file + suffix, { force: true })
}

/** Whether an operation failed because of the file's content. Deno's node:sqlite gives no error code, only a message. */
export const isDamage = (cause: unknown): cause is Error =>
  cause instanceof Damaged
  || (cause instanceof Error && /malformed|file is not a database|unsupported file format/u.test(cause.message))

/** The file is not one that this version wrote. */
export class Damaged extends Error {
  /** The file has a foreign schema: a person or a program with access to it changed it. */
  readonly isForeign: boolean
  constructor(message: string, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

/** The write-ahead log moves with the file: SQLite would replay a log that is left behind into the next file. */
const suffixes = ["", "-wal", "-shm", "-journal"]

const open = (file: string, isChecked: boolean): Tables => {
  const database = new DatabaseSync(file)
  try {
    // A short wait, because it blocks the process; the projector retries.
    database.exec("PRAGMA busy_timeout=1000")
    if (pragma(database, "user_version") === 0) database.exec(schema)
    if (pragma(database, "user_version") !== schemaVersion) throw new Damaged("written by another version")
    // The writer thread makes the checkpoints; the limit here holds while that thread does not run.
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16384")
    database.exec("PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY")
    const verdict = isChecked && statSync(file).size <= MOST_CHECKED ? pragma(database, "quick_check(1)") : "ok"
    if (verdict !== "ok") throw new Damaged(String(verdict))
    return prepare(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Every difference from the schema of this version, for a person. */
export const faultsOfModelsSchema = (database: DatabaseSync): ReadonlyArray<string> =>
  faultsOfSchema(database, partsOfSchema(schema)).map(({ what }) => what)

/** A foreign index could answer a query with other rows, a trigger change what is written. */
const requireOwnSchema = (database: DatabaseSync): void => {
  const [fault] = faultsOfModelsSchema(database)
  if (fault !== undefined) throw new Damaged(fault, true)
}

const prepare = (database: DatabaseSync): Tables => {
  requireOwnSchema(database)
  try {
    return makeTables(database)
  } catch (cause) {
    throw new Damaged(`tables are missing or different: ${String(cause)}`)
  }
}

/** Reads the header without SQLite, which would replay a write-ahead log into a file of another program. */
const ownerOf = (file: string): "none" | "us" | "other" => {
  if (!existsSync(file)) return "none"
  const header = new Uint8Array(headerSize)
  const descriptor = openSync(file, "r")
  const size = readSync(descriptor, header)
  closeSync(descriptor)
  if (size === 0) return "none"
  const isSqlite = new TextDecoder().decode(header.subarray(0, magic.length)) === magic
  const id = new DataView(header.buffer).getInt32(applicationIdOffset)
  return isSqlite && id === applicationId ? "us" : "other"
}

const magic = "SQLite format 3\0"
const headerSize = 100
const applicationIdOffset = 68

const putAside = (file: string): string => {
  let number = 1
  while (existsSync(`${file}.aside-${number}`)) number++
  const target = `${file}.aside-${number}`
  for (const suffix of suffixes) if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix)
  return target
}
