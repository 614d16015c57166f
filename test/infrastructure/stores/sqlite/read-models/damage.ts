import { Effect } from "effect"
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ReadModels } from "../../../../../ports/read-models.ts"

/** The first page holds the schema, without which SQLite would not even open the file to tell that it was changed. */
const pageSize = 4096

export const execute = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

export const overwrite = (file: string, from: number, length: number): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, new Uint8Array(length).fill(0x5a), 0, undefined, from)
  closeSync(descriptor)
}

/** Destroys everything in the file of an open engine, and lets the engine notice. */
export const damageInUse = (file: string) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    execute(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    overwrite(file, pageSize, statSync(file).size - pageSize)
    // A write of somebody else makes the engine forget the good pages that it holds in memory.
    execute(file, "PRAGMA user_version = 1")
    yield* Effect.flip(Effect.asVoid(models.dump("any")))
  })
