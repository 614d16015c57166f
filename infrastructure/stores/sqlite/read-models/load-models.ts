import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import { withAmounts } from "../../../../projections/engine/row-change.ts"

/** Another process has cleared or replaced the shadow model. */
export class ShadowReplaced extends Error {}

/** Runs the parts of filling a shadow model, so that other connections write the file between two of them. */
export interface Steps {
  readonly step: (run: () => void) => void
  readonly perStep: number
}

/** Merges the writes of each row in their order. */
export const loadRows = (database: DatabaseSync, from: string, generation: number, { perStep, step }: Steps): void => {
  const sorted = database.prepare(`SELECT tbl, key, fields FROM ${from} ORDER BY tbl, key, seq`).iterate()
  const insert = makeCollector(database, "rows(generation, tbl, key, fields)")
  let next = sorted.next()
  while (next.done !== true) {
    step(() => {
      for (let rows = 0; rows < perStep && next.done !== true; rows++) {
        const { key, tbl } = next.value
        let text: string | undefined
        for (; next.done !== true && next.value["key"] === key && next.value["tbl"] === tbl; next = sorted.next()) {
          const fields = next.value["fields"]
          text = typeof fields !== "string" ? undefined : merged(text, fields)
        }
        if (text !== undefined) insert.add(generation, tbl ?? null, key ?? null, text)
      }
      insert.flush()
    })
  }
  database.exec(`DROP TABLE ${from}`)
}

/** Marks the amounts of `AddToFields` among the collected fields, which are JSON. */
export const COUNTED = "+"

const merged = (before: string | undefined, text: string): string => {
  const row: JsonObject = before === undefined ? {} : JSON.parse(before)
  if (text.startsWith(COUNTED)) return JSON.stringify(withAmounts(row, JSON.parse(text.slice(COUNTED.length))))
  return before === undefined ? text : JSON.stringify({ ...row, ...JSON.parse(text) })
}

/**
 * Fills `sets`, `members` (without fixed sets) and `scored`, each in the order of its keys: sets are numbered in the order
 * of their names.
 */
export const loadMembers = (
  database: DatabaseSync,
  from: string,
  generation: number,
  { perStep, step }: Steps
): void => {
  database.exec(
    `CREATE TABLE last_members(name TEXT, member TEXT, score REAL, PRIMARY KEY(name, member)) WITHOUT ROWID;
     INSERT INTO last_members SELECT name, member, score
       FROM (SELECT name, member, score, max(seq) FROM ${from} GROUP BY name, member) WHERE score IS NOT NULL;
     CREATE TABLE fixed(name TEXT PRIMARY KEY) WITHOUT ROWID;
     INSERT OR IGNORE INTO fixed SELECT name FROM ${from} WHERE isFixed;
     DROP TABLE ${from};
     CREATE TABLE sizes(id INTEGER PRIMARY KEY, name TEXT, size INTEGER, isFixed INTEGER);
     INSERT INTO sizes(name, size, isFixed)
       SELECT name, count(*), name IN fixed FROM last_members GROUP BY name ORDER BY name;
     CREATE TABLE in_order(id INTEGER PRIMARY KEY, score REAL, member TEXT)`
  )
  const part = database.prepare("SELECT id, name, size, isFixed FROM sizes WHERE id > ? ORDER BY id LIMIT ?")
  const addSets = database.prepare(
    "INSERT INTO sets(generation, name, size) SELECT ?, name, size FROM sizes WHERE id BETWEEN ? AND ? ORDER BY id"
  )
  const membersOf = "FROM sizes CROSS JOIN sets ON generation = ? AND sets.name = sizes.name "
    + "CROSS JOIN last_members ON last_members.name = sizes.name WHERE sizes.id BETWEEN ? AND ?"
  const addMembers = database.prepare(`INSERT INTO members SELECT sets.id, member, score ${membersOf} AND NOT isFixed`)
  const addScored = database.prepare(
    `INSERT INTO scored SELECT sets.id, score, member ${membersOf} ORDER BY sizes.id, score, member`
  )
  const idOf = "(SELECT id FROM sets WHERE generation = ? AND name = ?)"
  const addSomeMembers = database.prepare(
    `INSERT INTO members SELECT ${idOf}, member, score FROM last_members WHERE name = ? AND member > ?
     ORDER BY member LIMIT ${perStep}`
  )
  const lastMember = database.prepare(`SELECT max(member) AS member FROM members WHERE set_id = ${idOf}`)
  const sort = database.prepare(
    "INSERT INTO in_order(score, member) SELECT score, member FROM last_members WHERE name = ? ORDER BY score, member"
  )
  const addSomeScored = database.prepare(
    `INSERT INTO scored SELECT ${idOf}, score, member FROM in_order WHERE id > ? ORDER BY id LIMIT ${perStep}`
  )

  // No member has an empty name.
  const loadLarge = (name: string, size: number, isFixed: boolean) => {
    for (let done = 0, after = ""; !isFixed && done < size; done += perStep) {
      step(() => {
        addSomeMembers.run(generation, name, name, after)
        after = String(lastMember.get(generation, name)?.["member"])
      })
    }
    sort.run(name)
    for (let done = 0; done < size; done += perStep) step(() => void addSomeScored.run(generation, name, done))
    database.exec("DELETE FROM in_order")
  }

  for (let after = 0;;) {
    const sets = part.all(after, perStep)
    const [first] = sets
    if (first === undefined) break
    let [upTo, total] = [after, 0]
    for (const { id, size } of sets) {
      total += Number(size)
      if (total > perStep && upTo > after) break
      upTo = Number(id)
      if (total > perStep) break
    }
    const [from, to] = [after + 1, upTo]
    const isLarge = Number(first["size"]) > perStep
    step(() => {
      addSets.run(generation, from, to)
      if (isLarge) return
      addMembers.run(generation, from, to)
      addScored.run(generation, from, to)
    })
    if (isLarge) loadLarge(String(first["name"]), Number(first["size"]), first["isFixed"] === 1)
    after = upTo
  }
  database.exec("DROP TABLE last_members; DROP TABLE fixed; DROP TABLE sizes; DROP TABLE in_order")
}

/** Collects rows for a table, and inserts many at a time. */
export const makeCollector = (database: DatabaseSync, into: string) => {
  const columns = into.split(",").length
  const row = `(${Array(columns).fill("?").join(", ")})`
  const insert = (rows: number) => database.prepare(`INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(", ")}`)
  const [many, one] = [insert(ROWS_PER_STATEMENT), insert(1)]
  const full = ROWS_PER_STATEMENT * columns
  let values: Array<SQLInputValue> = []
  return {
    add: (...row: ReadonlyArray<SQLInputValue>): void => {
      for (const value of row) values.push(value)
      if (values.length < full) return
      many.run(...values)
      values = []
    },
    flush: (): void => {
      for (let at = 0; at < values.length; at += columns) one.run(...values.slice(at, at + columns))
      values = []
    }
  }
}

const ROWS_PER_STATEMENT = 32
