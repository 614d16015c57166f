import type { DatabaseSync } from "node:sqlite"
import type { LoadModel } from "./load-models.ts"

/**
 * Fills `sets`, `members` and `scored` from the collected writes, each in the order of its keys. The last write to a
 * member counts. A write without a score removes its member.
 */
export const loadMembers = (options: LoadModel): void => {
  const { database, from } = options
  createSorted(
    database,
    "by_name",
    `SELECT name, score, member FROM (SELECT name, member, score, max(seq) FROM ${from} GROUP BY name, member)
     WHERE score IS NOT NULL`
  )
  loadSorted(options, "by_name", { into: "members", isCounted: true })
  createSorted(database, "by_score", "SELECT name, score, member FROM by_name ORDER BY name, score, member")
  database.exec("DROP TABLE by_name")
  loadSorted(options, "by_score", { into: "scored", isCounted: false })
  database.exec("DROP TABLE by_score")
}

/**
 * As `loadMembers`, for fixed sets: every write names the score, and says whether the member is added. One sort brings the
 * writes of a member together, and all members into the order of `scored`.
 */
export const loadFixedMembers = (options: LoadModel): void => {
  createSorted(
    options.database,
    "by_score",
    `SELECT name, score, member
     FROM (SELECT name, score, member, isAdded, max(seq) FROM ${options.from} GROUP BY name, score, member) WHERE isAdded`
  )
  loadSorted(options, "by_score", { into: "scored", isCounted: true })
  options.database.exec("DROP TABLE by_score")
}

/** Creates a temporary table of members in the order of a query. Those of a set are adjacent. */
const createSorted = (database: DatabaseSync, table: string, query: string): void =>
  database.exec(
    `DROP TABLE IF EXISTS ${table};
     CREATE TABLE ${table}(id INTEGER PRIMARY KEY, name TEXT, score REAL, member TEXT);
     INSERT INTO ${table}(name, score, member) ${query}`
  )

interface Target {
  readonly into: "members" | "scored"
  /** Whether the members add to the sizes of their sets. */
  readonly isCounted: boolean
}

/** Loads a sorted table in steps. */
const loadSorted = (
  { database, generation, perStep, step }: LoadModel,
  sorted: string,
  { into, isCounted }: Target
): void => {
  const nameAt = database.prepare(`SELECT name FROM ${sorted} WHERE id = ?`)
  const someSizes = database.prepare(
    `SELECT name, count(*) AS size FROM ${sorted} WHERE id > ? AND id <= ? GROUP BY name ORDER BY min(id)`
  )
  const total = Number(database.prepare(`SELECT max(id) AS total FROM ${sorted}`).get()?.["total"] ?? 0)
  /** The sets that have the members between two places, in order. Counting them takes longer than a look at both ends. */
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
     SELECT ?, score, member FROM ${sorted} WHERE id > ? AND id <= ? ORDER BY id`
  )
  for (let done = 0; done < total;) {
    const sizes = sizesBetween(done, Math.min(done + perStep, total))
    step(() => {
      for (const { name, size } of sizes) {
        const set = addSet.get(generation, name, isCounted ? size : 0)
        addMembers.run(Number(set?.["id"]), done, done + size)
        done += size
      }
    })
  }
}

interface SetSize {
  readonly name: string
  readonly size: number
}
