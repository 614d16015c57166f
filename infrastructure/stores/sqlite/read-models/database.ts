import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Position } from "../../../../domain/events/recorded-event.ts"
import { applicationId, schema, schemaVersion } from "./schema.ts"
import { makeTables, type Tables } from "./tables.ts"

export interface Opened {
  readonly tables: Tables
  /** How far the models in it are. */
  readonly checkpoints: ReadonlyArray<readonly [model: string, Position]>
  /** What was wrong with the file that stood there, and where it is now; undefined when nothing was. */
  readonly replaced: string | undefined
}

/**
 * Opens the file of the read models and makes it, and its folder, when they are not there.
 *
 * A damaged file of ours is deleted, as everything in it can be derived again. A file that is not ours is put aside
 * under another name and never deleted: a setting that points at the event log by mistake must not cost the log.
 * Throws what the file system or SQLite throws when the place can't be used at all.
 */
export const openTables = (file: string): Opened => {
  mkdirSync(dirname(file), { recursive: true })
  if (ownerOf(file) === "somebody else") {
    const kept = putAside(file)
    return { tables: open(file), checkpoints: [], replaced: `not a file of read models, kept as ${kept}` }
  }
  try {
    const tables = open(file)
    return { tables, checkpoints: tables.checkpoints(), replaced: undefined }
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    discard(file)
    return { tables: open(file), checkpoints: [], replaced: cause.message }
  }
}

/**
 * Opens the file for looking only, also while another process writes it. Nothing is made, repaired or put aside: that
 * is the writer's business. Throws when there is no such file, or none that this version reads.
 */
export const openTablesForReading = (file: string): Tables => {
  const owner = ownerOf(file)
  if (owner === "nobody") throw new Error(`there are no read models at ${file}: start the service once`)
  if (owner === "somebody else") throw new Error(`${file} is not a file of read models`)
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

/** Deletes the file with what SQLite keeps beside it. */
export const discard = (file: string): void => {
  for (const suffix of suffixes) rmSync(file + suffix, { force: true })
}

/** Whether an operation failed because of the file's content. Deno's node:sqlite gives no error number, only a text. */
export const isDamage = (cause: unknown): cause is Error =>
  cause instanceof Damaged
  || (cause instanceof Error && /malformed|file is not a database|unsupported file format/u.test(cause.message))

class Damaged extends Error {}

/** The write-ahead log belongs to the file: moved or deleted apart from it, it would be replayed into another one. */
const suffixes = ["", "-wal", "-shm", "-journal"]

const open = (file: string): Tables => {
  const database = new DatabaseSync(file)
  try {
    // A short wait, since it blocks the whole process; the projector tries again anyway.
    database.exec("PRAGMA busy_timeout=1000")
    if (pragma(database, "user_version") === 0) database.exec(schema)
    if (pragma(database, "user_version") !== schemaVersion) throw new Damaged("written by another version")
    // Checkpoints are made from another thread; this one steps in only where that one is gone.
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16384")
    database.exec("PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY")
    const verdict = pragma(database, "quick_check(1)")
    if (verdict !== "ok") throw new Damaged(String(verdict))
    return prepare(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

const prepare = (database: DatabaseSync): Tables => {
  try {
    return makeTables(database)
  } catch (cause) {
    throw new Damaged(`tables are missing or different: ${String(cause)}`)
  }
}

/** Read from the header and not through SQLite, which would begin by replaying a log into a file that is not ours. */
const ownerOf = (file: string): "nobody" | "us" | "somebody else" => {
  if (!existsSync(file)) return "nobody"
  const header = new Uint8Array(headerSize)
  const descriptor = openSync(file, "r")
  const size = readSync(descriptor, header)
  closeSync(descriptor)
  if (size === 0) return "nobody"
  const isSqlite = new TextDecoder().decode(header.subarray(0, magic.length)) === magic
  const id = new DataView(header.buffer).getInt32(applicationIdOffset)
  return isSqlite && id === applicationId ? "us" : "somebody else"
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
