import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../ports/read-models.ts"

/**
 * Makes the writes of a batch, inside a transaction of the caller.
 *
 * A row that a batch touches several times is read once and written once, and the size of a set changes once. Fields
 * are merged here and not by SQLite: its json_patch takes a null for "remove this field".
 */
export const makeWriter = (database: DatabaseSync): (model: string, writes: ReadonlyArray<Write>) => void => {
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
