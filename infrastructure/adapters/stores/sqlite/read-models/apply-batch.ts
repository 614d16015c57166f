import type { DatabaseSync } from "node:sqlite"
import type { MemberWrite, Write } from "../../../../../ports/read-models.ts"
import type { JsonObject } from "../../../../../domain/events/recorded-event.ts"
import { byFirst, makeInsertMany } from "./insert-many.ts"
import { makeSetWriter } from "./write-sets.ts"
import { type Amounts, type RowChange, withAmounts, withWrite } from "../../../../../projections/engine/row-change.ts"

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

  const mergeRow = (generation: number, table: string, key: string, fields: JsonObject) => {
    const before = getRow.get(generation, table, key)?.["fields"]
    const merged = typeof before === "string" ? { ...JSON.parse(before), ...fields } : fields
    putRow.run(generation, table, key, JSON.stringify(merged))
  }

  const countRow = (
    generation: number,
    table: string,
    key: string,
    fields: JsonObject | undefined,
    amounts: Amounts
  ) => {
    const before = getRow.get(generation, table, key)?.["fields"]
    const row = typeof before === "string" ? { ...JSON.parse(before), ...fields } : fields ?? {}
    putRow.run(generation, table, key, JSON.stringify(withAmounts(row, amounts)))
  }

  const writeRows = (generation: number, table: string, rows: ReadonlyMap<string, RowChange>) => {
    const merged: Array<readonly [key: string, fields: JsonObject]> = []
    for (const [key, { amounts, fields, isDeleted }] of rows) {
      if (isDeleted) deleteRow.run(generation, table, key)
      if (amounts !== undefined) countRow(generation, table, key, fields, amounts)
      else if (fields !== undefined) merged.push([key, fields])
    }
    merged.sort(byFirst)
    addRows(
      merged.map(([key, fields]) => [generation, table, key, JSON.stringify(fields)]),
      (from, to) => {
        for (const [key, fields] of merged.slice(from, to)) mergeRow(generation, table, key, fields)
      }
    )
  }

  return (generation, writes) => {
    const { sets, tables } = lastChanges(writes)
    for (const [table, rows] of tables) writeRows(generation, table, rows)
    writeSets(generation, sets)
  }
}

/** For each row and each member, what the writes of a batch amount to. */
const lastChanges = (writes: ReadonlyArray<Write>) => {
  const tables = new Map<string, Map<string, RowChange>>()
  const sets = new Map<string, Map<string, MemberWrite>>()
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields":
      case "AddToFields":
      case "DeleteRow": {
        const rows = entryOf(tables, write.table)
        rows.set(write.key, withWrite(rows.get(write.key), write))
        break
      }
      case "AddMember":
      case "RemoveMember":
        entryOf(sets, write.set).set(write.member, write)
    }
  }
  return { sets, tables }
}

const entryOf = <A>(maps: Map<string, Map<string, A>>, key: string): Map<string, A> => {
  let map = maps.get(key)
  if (map === undefined) maps.set(key, map = new Map())
  return map
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
