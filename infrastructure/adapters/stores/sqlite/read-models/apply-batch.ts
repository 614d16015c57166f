import type { DatabaseSync } from "node:sqlite"
import type { Write } from "../../../../../ports/read-models.ts"
import type { JsonObject } from "../../../../../domain/events/recorded-event.ts"
import { byFirst, makeInsertMany } from "./insert-many.ts"
import { makeSetWriter } from "./write-sets.ts"
import { changesOf, type RowChange, withAmounts } from "../../../../../projections/engine/changes.ts"

/** A batch for the file: positions as text, `commit/prepare`. */
export interface FlatBatch {
  readonly after: string
  readonly upTo: string
  readonly writes: ReadonlyArray<Write>
}

/** A batch on its way to the writer thread. */
export interface ModelBatch {
  readonly model: string
  readonly batch: FlatBatch
}

/** The current checkpoint after a batch, and whether the batch took effect. */
export interface Applied {
  readonly current: string
  readonly applied: boolean
}

const POSITION = /^\d+\/\d+$/u
const BEGINNING = "0/0"

/** Makes the function that applies a batch and moves the checkpoint in one transaction. It throws what SQLite throws. */
export const makeApplyBatch = (database: DatabaseSync): (model: string, batch: FlatBatch) => Applied => {
  const find = database.prepare("SELECT generation, position FROM models WHERE name = ?")
  const setCheckpoint = database.prepare("UPDATE models SET position = ? WHERE name = ?")
  const beginModel = makeBeginModel(database)
  const write = makeWriter(database)
  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")

  return (model, { after, upTo, writes }) =>
    atomically(() => {
      const known = find.get(model)
      const position = known?.["position"]
      const current = typeof position === "string" && POSITION.test(position) ? position : BEGINNING
      if (current !== after) return { current, applied: false }
      write(known === undefined ? beginModel(model) : Number(known["generation"]), writes)
      setCheckpoint.run(upTo, model)
      return { current: upTo, applied: true }
    })
}

/** Makes the function that gives a model a new, empty generation, inside a transaction of the caller. */
export const makeBeginModel = (database: DatabaseSync): (model: string) => number => {
  const addGeneration = database.prepare("INSERT INTO generations DEFAULT VALUES")
  const addModel = database.prepare("INSERT INTO models(name, generation, position) VALUES (?, ?, ?)")
  return (model) => {
    const generation = Number(addGeneration.run().lastInsertRowid)
    addModel.run(model, generation, BEGINNING)
    return generation
  }
}

/**
 * Makes the writes of a batch, inside a transaction of the caller.
 *
 * Only the last state of each row and member is written, so that a batch touches each of them once. New rows and
 * members are written many at a time, in the order of their keys. SQLite's json_patch does not merge the fields of a row
 * that exists, because it reads a null as "remove this field".
 */
const makeWriter = (database: DatabaseSync): (generation: number, writes: ReadonlyArray<Write>) => void => {
  const getRow = database.prepare("SELECT fields FROM rows WHERE generation = ? AND tbl = ? AND key = ?")
  const putRow = database.prepare(
    `INSERT INTO rows(generation, tbl, key, fields) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET fields = excluded.fields`
  )
  const addRows = makeInsertMany(database, "rows(generation, tbl, key, fields)", 4)
  const writeSets = makeSetWriter(database)
  const deleteRow = database.prepare("DELETE FROM rows WHERE generation = ? AND tbl = ? AND key = ?")

  const writeRow = (generation: number, table: string, key: string, { amounts, fields }: RowChange) => {
    const before = getRow.get(generation, table, key)?.["fields"]
    const row: JsonObject = typeof before === "string" ? { ...JSON.parse(before), ...fields } : fields ?? {}
    putRow.run(generation, table, key, JSON.stringify(amounts === undefined ? row : withAmounts(row, amounts)))
  }

  const writeRows = (generation: number, table: string, rows: ReadonlyMap<string, RowChange>) => {
    const merged: Array<readonly [key: string, change: RowChange]> = []
    for (const [key, change] of rows) {
      if (change.isDeleted) deleteRow.run(generation, table, key)
      if (change.amounts !== undefined) writeRow(generation, table, key, change)
      else if (change.fields !== undefined) merged.push([key, change])
    }
    merged.sort(byFirst)
    addRows(
      merged.map(([key, { fields }]) => [generation, table, key, JSON.stringify(fields)]),
      (from, to) => {
        for (const [key, change] of merged.slice(from, to)) writeRow(generation, table, key, change)
      }
    )
  }

  return (generation, writes) => {
    const { sets, tables } = changesOf(writes)
    for (const [table, rows] of tables) writeRows(generation, table, rows)
    writeSets(generation, sets)
  }
}

/** Makes the function that runs `run` in a transaction, which an error rolls back. */
export const makeTransaction = (database: DatabaseSync, kind: "BEGIN" | "BEGIN IMMEDIATE") => {
  const begin = database.prepare(kind)
  const commit = database.prepare("COMMIT")
  return <A>(run: () => A): A => {
    begin.run()
    try {
      const result = run()
      commit.run()
      return result
    } catch (cause) {
      // SQLite may have ended the transaction itself, for example on a full disk.
      if (database.isTransaction) database.exec("ROLLBACK")
      throw cause
    }
  }
}
