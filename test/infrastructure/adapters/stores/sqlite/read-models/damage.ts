import { Effect } from "effect"
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ReadModels } from "../../../../../../ports/read-models.ts"

/** The first page is not damaged: SQLite needs its schema to open the file. */
const pageSize = 4096

export const execute = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** Moves the whole write-ahead log into the file. Tries again while another connection makes a checkpoint. */
export const checkpoint = (file: string): void => {
  const database = new DatabaseSync(file)
  const move = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
  while (move.get()?.["busy"] !== 0);
  database.close()
}

export const overwrite = (file: string, from: number, length: number): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, new Uint8Array(length).fill(0x5a), 0, undefined, from)
  closeSync(descriptor)
}

/** Damages the file of an open engine after its first page, and makes the engine detect it. */
export const damageInUse = (file: string) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    checkpoint(file)
    overwrite(file, pageSize, statSync(file).size - pageSize)
    // A write by another connection makes the engine drop the intact pages from its cache.
    execute(file, "PRAGMA user_version = 2")
    yield* Effect.flip(Effect.asVoid(models.dump("any")))
  })
