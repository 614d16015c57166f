import type { DatabaseSync } from "node:sqlite"
import type { SortedTables } from "./sort-writes.ts"

/** Another process has cleared or replaced the shadow model. */
export class ShadowReplaced extends Error {}

/** Where a model is filled. */
export interface FillTarget {
  readonly database: DatabaseSync
  readonly generation: number
  /** Runs a part of the work, so that other connections write the file between two of them. */
  readonly step: (run: () => void) => void
  /** Rows or members of one step. */
  readonly perStep: number
}

/** Fills the tables of the read models from sorted ones, each in the order of its keys, and drops the sorted ones. */
export const fillModel = (target: FillTarget, { fixed, members, rows, scored }: SortedTables): void => {
  fillRows(target, rows)
  fillMembers(target, members, { into: "members", isCounted: true })
  fillMembers(target, scored, { into: "scored", isCounted: false })
  fillMembers(target, fixed, { into: "scored", isCounted: true, isRepeated: true })
}

const fillRows = ({ database, generation, perStep, step }: FillTarget, sorted: string): void => {
  const addRows = database.prepare(
    `INSERT INTO rows(generation, tbl, key, fields)
     SELECT ?, tbl, key, fields FROM ${sorted} WHERE id > ? AND id <= ? ORDER BY id`
  )
  const total = totalOf(database, sorted)
  for (let done = 0; done < total; done += perStep) step(() => void addRows.run(generation, done, done + perStep))
  database.exec(`DROP TABLE ${sorted}`)
}

interface MembersTarget {
  readonly into: "members" | "scored"
  /** Whether the members add to the sizes of their sets. */
  readonly isCounted: boolean
  /** Whether the same member may occur more than once. */
  readonly isRepeated?: true
}

const fillMembers = (
  { database, generation, perStep, step }: FillTarget,
  sorted: string,
  { into, isCounted, isRepeated }: MembersTarget
): void => {
  const nameAt = database.prepare(`SELECT name FROM ${sorted} WHERE id = ?`)
  const someSizes = database.prepare(
    `SELECT name, count(*) AS size FROM ${sorted} WHERE id > ? AND id <= ? GROUP BY name ORDER BY min(id)`
  )
  /**
   * The sets that have the members between two places, in order. Hot path: to count them takes longer than a look at both
   * ends. Guarded by `npm run bench -- rebuild`.
   */
  const sizesBetween = (from: number, to: number): ReadonlyArray<SetSize> => {
    const first = nameAt.get(from + 1)?.["name"]
    if (first === nameAt.get(to)?.["name"]) return [{ name: String(first), size: to - from }]
    return someSizes.all(from, to).map(({ name, size }) => ({ name: String(name), size: Number(size) }))
  }
  const addSet = database.prepare(
    `INSERT INTO sets(generation, name, size) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET size = size + excluded.size RETURNING id`
  )
  const addMembers = database.prepare(
    `INSERT INTO ${into}(set_id, score, member)
     SELECT ?, score, member FROM ${sorted} WHERE id > ? AND id <= ? ORDER BY id
     ${isRepeated === true ? "ON CONFLICT DO NOTHING" : ""}`
  )
  const resize = database.prepare("UPDATE sets SET size = size - ? WHERE id = ?")
  const total = totalOf(database, sorted)
  for (let done = 0; done < total;) {
    const sizes = sizesBetween(done, Math.min(done + perStep, total))
    step(() => {
      for (const { name, size } of sizes) {
        const set = addSet.get(generation, name, isCounted ? size : 0)
        const id = Number(set?.["id"])
        const { changes } = addMembers.run(id, done, done + size)
        if (changes < size) resize.run(size - Number(changes), id)
        done += size
      }
    })
  }
  database.exec(`DROP TABLE ${sorted}`)
}

interface SetSize {
  readonly name: string
  readonly size: number
}

const totalOf = (database: DatabaseSync, sorted: string): number =>
  Number(database.prepare(`SELECT max(id) AS total FROM ${sorted}`).get()?.["total"] ?? 0)
