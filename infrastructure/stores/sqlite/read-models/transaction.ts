import type { DatabaseSync } from "node:sqlite"

/** Makes the function that runs something in a transaction: what it throws undoes all of it. */
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
      // SQLite may have ended the transaction by itself, for one when the disk was full.
      if (database.isTransaction) database.exec("ROLLBACK")
      throw cause
    }
  }
}
