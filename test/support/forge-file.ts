import { DatabaseSync } from "node:sqlite"

/** Opens a file of SQLite as a person with access to it can: without the protection of the schema. */
export const openForForgery = (file: string): DatabaseSync => {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  if ("enableDefensive" in db && typeof db.enableDefensive === "function") db.enableDefensive(false)
  return db
}
