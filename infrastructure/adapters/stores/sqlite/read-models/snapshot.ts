import { DatabaseSync } from "node:sqlite"
import type { Snapshot } from "../../../../../ports/model-copy.ts"
import type { Write } from "../../../../../ports/read-models.ts"
import { readPosition } from "./tables.ts"

/** Opens one moment of a model in a file that may be written meanwhile. The caller closes it. Throws what SQLite throws. */
export const openSnapshot = (file: string, model: string): Snapshot & { readonly close: () => void } => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA cache_size = -2048; BEGIN")
    const checkpoint = database.prepare("SELECT position FROM models WHERE name = ?").get(model)?.["position"]
    return {
      checkpoint: readPosition(checkpoint),
      writes: writesOf(database, model),
      close: () => database.close()
    }
  } catch (cause) {
    database.close()
    throw cause
  }
}

const writesOf = function* (database: DatabaseSync, model: string): Generator<Write> {
  const rows = database.prepare(
    "SELECT tbl, key, fields FROM rows WHERE generation = (SELECT generation FROM models WHERE name = ?)"
  )
  for (const { fields, key, tbl } of rows.iterate(model)) {
    yield { _tag: "SetFields", table: String(tbl), key: String(key), fields: JSON.parse(String(fields)) }
  }
  const sets = database.prepare(
    "SELECT id, name FROM sets WHERE generation = (SELECT generation FROM models WHERE name = ?)"
  ).all(model)
  const membersAfter = prepareMembers(database)
  for (const { id, name } of sets) {
    const set = String(name)
    let last: MemberRow = ["", -Infinity]
    for (let isLast = false; !isLast;) {
      const page = membersAfter(Number(id), last)
      for (const [member, score] of page) yield { _tag: "AddMember", set, member, score }
      last = page.at(-1) ?? last
      isLast = page.length < PAGE
    }
  }
}

type MemberRow = readonly [member: string, score: number]

/** Hot path: stepping through rows takes three times as long as pages of arrays. Guarded by `npm run bench -- rebuild`. */
const prepareMembers = (database: DatabaseSync) => {
  const read = database.prepare(
    "SELECT member, score FROM scored WHERE set_id = ? AND (score, member) > (?, ?) ORDER BY score, member LIMIT ?"
  )
  read.setReturnArrays(true)
  return (set: number, [member, score]: MemberRow) => {
    const found: ReadonlyArray<object> = read.all(set, score, member, PAGE)
    return found as ReadonlyArray<MemberRow>
  }
}

const PAGE = 500
