import type { DatabaseSync } from "node:sqlite"
import type { FoldedModel } from "../../../../../projections/engine/fold-model.ts"

/** The two orders in which the file has the members of sets. Those of fixed sets are in `scored` only. */
export type MemberTable = "members" | "scored"

/** The content of a model as reads find it. */
export interface ModelContent {
  /** Fields are JSON. */
  readonly rows: () => Iterable<readonly [table: string, key: string, fields: string]>
  readonly row: (table: string, key: string) => string | undefined
  readonly rowCount: () => number
  readonly members: (from: MemberTable) => Iterable<readonly [set: string, member: string, score: number]>
  readonly has: (from: MemberTable, set: string, member: string, score: number) => boolean
  readonly memberCount: (from: MemberTable) => number
  /** The numbers that the sets are said to have. */
  readonly sizes: () => Iterable<readonly [set: string, size: number]>
  readonly size: (set: string) => number
}

/** The content of the model with this name in a file. Throws what SQLite throws. */
export const contentInFile = (database: DatabaseSync, model: string): ModelContent => {
  const generation = Number(
    database.prepare("SELECT generation FROM models WHERE name = ?").get(model)?.["generation"] ?? -1
  )
  /** The columns of a strict table have the types of the row. */
  const reader = <Row>(sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return () => {
      const found: Iterable<object> = statement.iterate(generation)
      return found as Iterable<Row>
    }
  }
  const count = (sql: string) => Number(Object.values(database.prepare(sql).get(generation) ?? {})[0])
  const row = database.prepare("SELECT fields FROM rows WHERE generation = ? AND tbl = ? AND key = ?")
  const size = database.prepare("SELECT size FROM sets WHERE generation = ? AND name = ?")
  const inSet = "set_id = (SELECT id FROM sets WHERE generation = ? AND name = ?)"
  const membersOf = (table: MemberTable) => `FROM sets CROSS JOIN ${table} ON set_id = sets.id WHERE generation = ?`
  const ofTable = (table: MemberTable) => ({
    all: reader<[set: string, member: string, score: number]>(`SELECT name, member, score ${membersOf(table)}`),
    has: database.prepare(`SELECT 1 FROM ${table} WHERE ${inSet} AND score = ? AND member = ?`)
  })
  const tables = { members: ofTable("members"), scored: ofTable("scored") }
  return {
    rows: reader("SELECT tbl, key, fields FROM rows WHERE generation = ?"),
    row: (table, key) => {
      const fields = row.get(generation, table, key)?.["fields"]
      return typeof fields === "string" ? fields : undefined
    },
    rowCount: () => count("SELECT count(*) FROM rows WHERE generation = ?"),
    members: (from) => tables[from].all(),
    has: (from, set, member, score) => tables[from].has.get(generation, set, score, member) !== undefined,
    memberCount: (from) => count(`SELECT count(*) ${membersOf(from)}`),
    sizes: reader("SELECT name, size FROM sets WHERE generation = ?"),
    size: (set) => Number(size.get(generation, set)?.["size"] ?? 0)
  }
}

/** The content that the file must have for a model in memory. */
export const contentOf = ({ fixed, sets, tables }: FoldedModel): ModelContent => {
  const isIn = (from: MemberTable, set: string): boolean => from === "scored" || !fixed.has(set)
  return {
    *rows() {
      for (const [table, rows] of tables) for (const [key, fields] of rows) yield [table, key, JSON.stringify(fields)]
    },
    row: (table, key) => {
      const fields = tables.get(table)?.get(key)
      return fields === undefined ? undefined : JSON.stringify(fields)
    },
    rowCount: () => sumOf(tables.values(), ({ size }) => size),
    *members(from) {
      for (const [set, members] of sets) {
        if (isIn(from, set)) { for (const [member, score] of members) yield [set, member, score] }
      }
    },
    has: (from, set, member, score) => isIn(from, set) && sets.get(set)?.get(member) === score,
    memberCount: (from) => sumOf(sets, ([set, { size }]) => isIn(from, set) ? size : 0),
    *sizes() {
      for (const [set, { size }] of sets) yield [set, size]
    },
    size: (set) => sets.get(set)?.size ?? 0
  }
}

const sumOf = <A>(values: Iterable<A>, numberOf: (value: A) => number): number => {
  let sum = 0
  for (const value of values) sum += numberOf(value)
  return sum
}
