import type { DatabaseSync } from "node:sqlite"

/** What is done to all of a model at once, inside a transaction of the caller. */
export interface WholeModel {
  readonly forget: (model: string) => void
  /** Gives everything of a model, checkpoint included, another name, under which nothing may be; says how many rows. */
  readonly rename: (model: string, to: string) => number
}

export const makeWholeModel = (database: DatabaseSync): WholeModel => {
  const forget = [
    "DELETE FROM rows WHERE model = ?",
    "DELETE FROM members WHERE set_id IN (SELECT id FROM sets WHERE model = ?)",
    "DELETE FROM sets WHERE model = ?",
    "DELETE FROM checkpoints WHERE model = ?"
  ].map((sql) => database.prepare(sql))
  // Members belong to the number of their set and stay as they are.
  const rename = ["rows", "sets", "checkpoints"].map((table) =>
    database.prepare(`UPDATE ${table} SET model = ? WHERE model = ?`)
  )
  return {
    forget: (model) => {
      for (const statement of forget) statement.run(model)
    },
    rename: (model, to) => rename.reduce((rows, statement) => rows + Number(statement.run(to, model).changes), 0)
  }
}
