import { DatabaseSync } from "node:sqlite"
import type { Write } from "../../ports/read-models.ts"
import { withAmounts } from "../../projections/engine/changes.ts"
import { schema } from "../../infrastructure/adapters/stores/sqlite/read-models/database.ts"

/** The baseline of the embedded read models: bare node:sqlite with the same tables. */
export interface BareModels {
  /** Applies the writes and then the checkpoint, in one transaction. */
  readonly apply: (model: string, writes: ReadonlyArray<Write>, position: number) => void
  /** Reserves a quota unit if one remains, in one transaction. */
  readonly reserve: (set: string, limit: number) => boolean
  readonly close: () => void
}

export const openBareModels = (file: string): BareModels => {
  const db = new DatabaseSync(file)
  db.exec(schema)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
  const putRow = db.prepare(
    `INSERT INTO rows(generation, tbl, key, fields) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET fields = excluded.fields`
  )
  const getRow = db.prepare("SELECT fields FROM rows WHERE generation = ? AND tbl = ? AND key = ?")
  const addSet = db.prepare("INSERT INTO sets(generation, name, size) VALUES (?, ?, 0)")
  const resize = db.prepare("UPDATE sets SET size = size + ? WHERE id = ?")
  const addMember = db.prepare("INSERT INTO members(set_id, member, score) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  const addScored = db.prepare("INSERT INTO scored(set_id, score, member) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  const moveTo = db.prepare(
    `INSERT INTO models(name, generation, position) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET position = excluded.position`
  )
  const reserveUnit = db.prepare("UPDATE sets SET size = size + 1 WHERE id = ? AND size < ?")

  const generations = new Map<string, number>()
  const generationOf = (model: string): number => {
    const known = generations.get(model) ?? generations.size + 1
    generations.set(model, known)
    return known
  }
  // Only this process writes the file, so the id of a set can be cached.
  const setIds = new Map<string, number>()
  const setId = (model: string, name: string): number => {
    const key = `${model}/${name}`
    const known = setIds.get(key) ?? Number(addSet.run(generationOf(model), name).lastInsertRowid)
    setIds.set(key, known)
    return known
  }
  return {
    apply: (model, writes, position) => {
      db.exec("BEGIN IMMEDIATE")
      const growth = new Map<number, number>()
      for (const write of writes) {
        if (write._tag === "SetFields") {
          putRow.run(generationOf(model), write.table, write.key, JSON.stringify(write.fields))
        } else if (write._tag === "AddMember") {
          const id = setId(model, write.set)
          if (write.isFixed !== true) addMember.run(id, write.member, write.score)
          const { changes } = addScored.run(id, write.score, write.member)
          growth.set(id, (growth.get(id) ?? 0) + Number(changes))
        } else if (write._tag === "AddToFields") {
          const generation = generationOf(model)
          const fields = getRow.get(generation, write.table, write.key)?.["fields"]
          const added = withAmounts(typeof fields === "string" ? JSON.parse(fields) : {}, write.amounts)
          putRow.run(generation, write.table, write.key, JSON.stringify(added))
        } else throw new Error(`unexpected write for a verified slip: ${write._tag}`)
      }
      for (const [id, by] of growth) resize.run(by, id)
      moveTo.run(model, generationOf(model), `${position}/${position}`)
      db.exec("COMMIT")
    },
    reserve: (set, limit) => reserveUnit.run(setId("quota", set), limit).changes === 1,
    close: () => db.close()
  }
}
