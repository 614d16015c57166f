import type { DatabaseSync } from "node:sqlite"
import type { Write } from "../../../../ports/read-models.ts"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"

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
  const checkpoint = database.prepare("SELECT position FROM checkpoints WHERE model = ?")
  const setCheckpoint = database.prepare(
    "INSERT INTO checkpoints(model, position) VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position"
  )
  const write = makeWriter(database)
  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")
  const currentOf = (model: string): string => {
    const position = checkpoint.get(model)?.["position"]
    return typeof position === "string" && POSITION.test(position) ? position : BEGINNING
  }

  return (model, { after, upTo, writes }) =>
    atomically(() => {
      const current = currentOf(model)
      if (current !== after) return { current, applied: false }
      write(model, writes)
      setCheckpoint.run(model, upTo)
      return { current: upTo, applied: true }
    })
}

/**
 * Makes the writes of a batch, inside a transaction of the caller.
 *
 * A row that a batch touches several times is read once and written once, and the size of a set changes once. SQLite's
 * json_patch does not merge the fields, because it reads a null as "remove this field".
 */
const makeWriter = (database: DatabaseSync): (model: string, writes: ReadonlyArray<Write>) => void => {
  const getRow = database.prepare("SELECT fields FROM rows WHERE model = ? AND tbl = ? AND key = ?")
  const putRow = database.prepare(
    "INSERT INTO rows(model, tbl, key, fields) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET fields = excluded.fields"
  )
  const deleteRow = database.prepare("DELETE FROM rows WHERE model = ? AND tbl = ? AND key = ?")
  const getSet = database.prepare("SELECT id FROM sets WHERE model = ? AND name = ?")
  const makeSet = database.prepare("INSERT INTO sets(model, name, size) VALUES (?, ?, 0)")
  const resize = database.prepare("UPDATE sets SET size = size + ? WHERE id = ?")
  const addMember = database.prepare(
    "INSERT INTO members(set_id, member, score) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  )
  const setScore = database.prepare("UPDATE members SET score = ? WHERE set_id = ? AND member = ?")
  const removeMember = database.prepare("DELETE FROM members WHERE set_id = ? AND member = ?")

  const readRow = (model: string, table: string, key: string): JsonObject | undefined => {
    const fields = getRow.get(model, table, key)?.["fields"]
    return typeof fields === "string" ? JSON.parse(fields) : undefined
  }
  const openSet = (model: string, name: string): TouchedSet => {
    const id = getSet.get(model, name)?.["id"] ?? makeSet.run(model, name).lastInsertRowid
    return { id: Number(id), growth: 0 }
  }

  return (model, writes) => {
    const tables = new Map<string, Map<string, JsonObject | undefined>>()
    const sets = new Map<string, TouchedSet>()
    for (const write of writes) {
      if (write._tag === "SetFields" || write._tag === "DeleteRow") {
        const rows = entryOf(tables, write.table, () => new Map<string, JsonObject | undefined>())
        const before = write._tag === "DeleteRow" || rows.has(write.key)
          ? rows.get(write.key)
          : readRow(model, write.table, write.key)
        rows.set(write.key, write._tag === "DeleteRow" ? undefined : { ...before, ...write.fields })
        continue
      }
      const set = entryOf(sets, write.set, () => openSet(model, write.set))
      if (write._tag === "RemoveMember") {
        set.growth -= Number(removeMember.run(set.id, write.member).changes)
      } else if (addMember.run(set.id, write.member, write.score).changes === 0) {
        setScore.run(write.score, set.id, write.member)
      } else {
        set.growth++
      }
    }
    for (const [table, rows] of tables) {
      for (const [key, fields] of rows) {
        if (fields === undefined) deleteRow.run(model, table, key)
        else putRow.run(model, table, key, JSON.stringify(fields))
      }
    }
    for (const set of sets.values()) if (set.growth !== 0) resize.run(set.growth, set.id)
  }
}

interface TouchedSet {
  readonly id: number
  growth: number
}

const entryOf = <A>(map: Map<string, A>, key: string, make: () => A): A => {
  let entry = map.get(key)
  if (entry === undefined) map.set(key, entry = make())
  return entry
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
