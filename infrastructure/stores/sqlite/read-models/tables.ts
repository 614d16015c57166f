import type { DatabaseSync } from "node:sqlite"
import { shadowName } from "../../../../projections/engine/model-name.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  type JsonObject,
  parsePosition,
  type Position
} from "../../../../domain/events/recorded-event.ts"
import type { Batch, Dump, Member } from "../../../../ports/read-models.ts"
import { memberLine, rowLine } from "../../dump-lines.ts"
import { type Applied, type FlatBatch, makeApplyBatch, makeTransaction } from "./apply-batch.ts"

export interface MembersOptions {
  readonly from?: number
  readonly to?: number
  readonly after?: Member
  readonly limit?: number
  readonly reverse?: boolean
}

/** The content of the file. Every operation is synchronous and throws what SQLite throws. */
export interface Tables {
  readonly apply: (model: string, batch: Batch) => Applied
  readonly clear: (model: string) => void
  /** Undefined, with nothing changed, when the shadow model is behind the model. */
  readonly promote: (model: string) => { readonly current: Position; readonly rows: number } | undefined
  readonly checkpoint: (model: string) => Position
  /** The checkpoints of all models. */
  readonly checkpoints: () => ReadonlyArray<readonly [model: string, Position]>
  readonly get: (model: string, table: string, key: string) => JsonObject | undefined
  readonly count: (model: string, set: string) => number
  readonly has: (model: string, set: string, member: string) => boolean
  readonly members: (model: string, set: string, options?: MembersOptions) => ReadonlyArray<Member>
  readonly dump: (model: string) => Dump
  /** Runs several reads on one state of the file, while another thread or process may write it. */
  readonly atOneMoment: <A>(read: () => A) => A
  readonly close: () => void
}

/** A batch in the form of the file and the writer thread. */
export const flat = ({ after, upTo, writes }: Batch): FlatBatch => ({
  after: formatPosition(after),
  upTo: formatPosition(upTo),
  writes
})

/** Throws when the file does not hold the tables of the schema. */
export const makeTables = (database: DatabaseSync): Tables => {
  const select = {
    checkpoint: database.prepare("SELECT position FROM checkpoints WHERE model = ?"),
    checkpoints: database.prepare("SELECT model, position FROM checkpoints"),
    row: database.prepare("SELECT fields FROM rows WHERE model = ? AND tbl = ? AND key = ?"),
    size: database.prepare("SELECT size FROM sets WHERE model = ? AND name = ?"),
    member: database.prepare(
      "SELECT 1 AS found FROM members WHERE set_id = (SELECT id FROM sets WHERE model = ? AND name = ?) AND member = ?"
    ),
    page: database.prepare(`${membersOfSet} AND score >= ? AND score <= ? ORDER BY score, member LIMIT ?`),
    pageAfter: database.prepare(
      `${membersOfSet} AND (score, member) > (?, ?) AND score <= ? ORDER BY score, member LIMIT ?`
    ),
    reversePage: database.prepare(
      `${membersOfSet} AND score >= ? AND score <= ? ORDER BY score DESC, member DESC LIMIT ?`
    ),
    reversePageAfter: database.prepare(
      `${membersOfSet} AND (score, member) < (?, ?) AND score >= ? ORDER BY score DESC, member DESC LIMIT ?`
    ),
    rows: database.prepare("SELECT tbl, key, fields FROM rows WHERE model = ?"),
    allMembers: database.prepare(
      "SELECT name, member, score FROM members JOIN sets ON sets.id = members.set_id WHERE model = ?"
    )
  }
  const applyBatch = makeApplyBatch(database)
  const whole = makeWholeModel(database)
  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")
  const atOneMoment = makeTransaction(database, "BEGIN")

  const checkpoint = (model: string): Position => readPosition(select.checkpoint.get(model)?.["position"])

  return {
    apply: (model, batch) => applyBatch(model, flat(batch)),
    clear: (model) => atomically(() => whole.forget(model)),
    promote: (model) =>
      atomically(() => {
        const shadow = shadowName(model)
        const current = checkpoint(shadow)
        if (isBefore(current, checkpoint(model))) return undefined
        whole.forget(model)
        return { current, rows: whole.rename(shadow, model) }
      }),
    checkpoint,
    checkpoints: () =>
      select.checkpoints.all().map((row) => [String(row["model"]), readPosition(row["position"])] as const),
    get: (model, table, key) => {
      const fields = select.row.get(model, table, key)?.["fields"]
      return typeof fields === "string" ? JSON.parse(fields) : undefined
    },
    count: (model, set) => Number(select.size.get(model, set)?.["size"] ?? 0),
    has: (model, set, member) => select.member.get(model, set, member) !== undefined,
    members: (model, set, options = {}) => {
      const { after, from = -Infinity, to = Infinity, limit = -1, reverse = false } = options
      const [page, pageAfter] = reverse
        ? [select.reversePage, select.reversePageAfter]
        : [select.page, select.pageAfter]
      // SQLite uses only one bound of a side; a member outside the range is no bound of its own.
      const isBound = after !== undefined && (reverse ? after.score <= to : after.score >= from)
      const found = isBound
        ? pageAfter.all(model, set, after.score, after.member, reverse ? from : to, limit)
        : page.all(model, set, from, to, limit)
      return found.map(({ member, score }): Member => ({ member: String(member), score: Number(score) }))
    },
    dump: (model) => {
      const { current, members, rows } = atOneMoment(() => ({
        current: checkpoint(model),
        rows: select.rows.all(model),
        members: select.allMembers.all(model)
      }))
      const lines = [
        ...rows.map((row) => rowLine(String(row["tbl"]), String(row["key"]), String(row["fields"]))),
        ...members.map((row) => memberLine(String(row["name"]), String(row["member"]), Number(row["score"])))
      ]
      return { checkpoint: current, lines: lines.sort() }
    },
    atOneMoment,
    close: () => database.close()
  }
}

const membersOfSet =
  "SELECT member, score FROM members WHERE set_id = (SELECT id FROM sets WHERE model = ? AND name = ?)"

/** A position in the file. */
export const readPosition = (text: unknown): Position =>
  (typeof text === "string" ? parsePosition(text) : undefined) ?? beginning

/** Operations on a whole model, inside a transaction of the caller. */
interface WholeModel {
  readonly forget: (model: string) => void
  /** Renames a model with its checkpoint; the other name must be free. Returns the number of changed rows. */
  readonly rename: (model: string, to: string) => number
}

const makeWholeModel = (database: DatabaseSync): WholeModel => {
  const forget = [
    "DELETE FROM rows WHERE model = ?",
    "DELETE FROM members WHERE set_id IN (SELECT id FROM sets WHERE model = ?)",
    "DELETE FROM sets WHERE model = ?",
    "DELETE FROM checkpoints WHERE model = ?"
  ].map((sql) => database.prepare(sql))
  // Members refer to the number of their set and need no change.
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
