import type { DatabaseSync } from "node:sqlite"
import { shadowName } from "../../../../../projections/engine/model-name.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  type JsonObject,
  parsePosition,
  type Position
} from "../../../../../domain/events/recorded-event.ts"
import type { Batch, Dump, Member, ScoreRange } from "../../../../../ports/read-models.ts"
import { memberLine, rowLine, sizeLine } from "../../../../platform/dump-lines.ts"
import { type Applied, type FlatBatch, makeApplyBatch, makeTransaction } from "./apply-batch.ts"
import { contentInFile } from "./model-content.ts"

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
  /** Undefined, with nothing changed, when the shadow model is behind the model, or not complete. */
  readonly promote: (model: string) => Position | undefined
  /** Deletes a part of the content that no model has any more; false when there is none. Takes a few milliseconds. */
  readonly sweep: () => boolean
  readonly checkpoint: (model: string) => Position
  /** The checkpoints of all models. */
  readonly checkpoints: () => ReadonlyArray<readonly [model: string, Position]>
  readonly get: (model: string, table: string, key: string) => JsonObject | undefined
  readonly count: (model: string, set: string, range?: ScoreRange) => number
  /** A member of a fixed set is found by its score. */
  readonly has: (model: string, set: string, member: string, fixedScore?: number) => boolean
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
    checkpoint: database.prepare("SELECT position FROM models WHERE name = ?"),
    checkpoints: database.prepare("SELECT name, position FROM models"),
    row: database.prepare(`SELECT fields FROM rows WHERE generation = ${generationOf} AND tbl = ? AND key = ?`),
    size: database.prepare(`SELECT size FROM sets WHERE generation = ${generationOf} AND name = ?`),
    sizeWithin: database.prepare(
      `SELECT count(*) AS size FROM scored WHERE set_id = ${idOfSet} AND score >= ? AND score <= ?`
    ),
    member: database.prepare(`SELECT 1 AS found FROM members WHERE set_id = ${idOfSet} AND member = ?`),
    fixedMember: database.prepare(
      `SELECT 1 AS found FROM scored WHERE set_id = ${idOfSet} AND score = ? AND member = ?`
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
    wrongSizes: database.prepare(
      `SELECT name, size, (SELECT count(*) FROM scored WHERE set_id = sets.id) AS members FROM sets
       WHERE generation = ${generationOf} AND size <> members`
    )
  }
  const applyBatch = makeApplyBatch(database)
  // The content that a model had becomes garbage.
  const remove = database.prepare("DELETE FROM models WHERE name = ?")
  const rename = database.prepare("UPDATE models SET name = ? WHERE name = ?")
  const sweep = makeSweep(database)
  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")
  const atOneMoment = makeTransaction(database, "BEGIN")

  const checkpoint = (model: string): Position => readPosition(select.checkpoint.get(model)?.["position"])

  return {
    apply: (model, batch) => applyBatch(model, flat(batch)),
    clear: (model) => atomically(() => void remove.run(model)),
    promote: (model) =>
      atomically(() => {
        const shadow = shadowName(model)
        const current = checkpoint(shadow)
        if (isBefore(current, checkpoint(model)) || isBeforeFirstEvent(current)) return undefined
        remove.run(model)
        rename.run(model, shadow)
        return current
      }),
    sweep: () => atomically(sweep),
    checkpoint,
    checkpoints: () =>
      select.checkpoints.all().map((row) => [String(row["name"]), readPosition(row["position"])] as const),
    get: (model, table, key) => {
      const fields = select.row.get(model, table, key)?.["fields"]
      return typeof fields === "string" ? JSON.parse(fields) : undefined
    },
    count: (model, set, range) => {
      const found = range === undefined
        ? select.size.get(model, set)
        : select.sizeWithin.get(model, set, range.from ?? -Infinity, range.to ?? Infinity)
      return Number(found?.["size"] ?? 0)
    },
    has: (model, set, member, fixedScore) =>
      (fixedScore === undefined
        ? select.member.get(model, set, member)
        : select.fixedMember.get(model, set, fixedScore, member)) !== undefined,
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
    dump: (model) =>
      atOneMoment(() => {
        const { members, rows } = contentInFile(database, model)
        const lines = [
          ...Array.from(rows(), (row) => rowLine(...row)),
          ...Array.from(members("scored"), (member) => memberLine(...member)),
          // Only a person who changed the file can have caused them. `count` answers the wrong number.
          ...select.wrongSizes.all(model).map(({ members, name, size }) =>
            sizeLine(String(name), Number(size), Number(members))
          )
        ]
        return { checkpoint: checkpoint(model), lines: lines.sort() }
      }),
    atOneMoment,
    close: () => database.close()
  }
}

const generationOf = "(SELECT generation FROM models WHERE name = ?)"

const idOfSet = `(SELECT id FROM sets WHERE generation = ${generationOf} AND name = ?)`

const membersOfSet = `SELECT member, score FROM scored WHERE set_id = ${idOfSet}`

/** A restore fills the model: its parts have such positions. */
const isBeforeFirstEvent = (position: Position): boolean => position.commit === 0n && isBefore(beginning, position)

/** A position in the file. */
export const readPosition = (text: unknown): Position =>
  (typeof text === "string" ? parsePosition(text) : undefined) ?? beginning

/** Makes the function that deletes a part of the oldest garbage, and returns whether there was any. */
const makeSweep = (database: DatabaseSync): () => boolean => {
  const find = database.prepare(
    "SELECT id FROM generations WHERE id NOT IN (SELECT generation FROM models) ORDER BY id LIMIT 1"
  )
  const someSets = database.prepare("SELECT id, size FROM sets WHERE generation = ? LIMIT ?")
  const deleteRows = database.prepare(
    "DELETE FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE generation = ? LIMIT ?)"
  )
  const deleteMembers = database.prepare(
    "DELETE FROM members WHERE set_id = ?1 AND member IN (SELECT member FROM members WHERE set_id = ?1 LIMIT ?2)"
  )
  const deleteScored = database.prepare(
    `DELETE FROM scored WHERE set_id = ?1
     AND (score, member) IN (SELECT score, member FROM scored WHERE set_id = ?1 LIMIT ?2)`
  )
  const deleteSet = database.prepare("DELETE FROM sets WHERE id = ?")
  const deleteGeneration = database.prepare("DELETE FROM generations WHERE id = ?")
  return () => {
    const generation = find.get()?.["id"]
    if (typeof generation !== "number") return false
    let left = SWEPT_TOGETHER - Number(deleteRows.run(generation, SWEPT_TOGETHER).changes)
    for (const { id, size } of left > 0 ? someSets.all(generation, left) : []) {
      if (typeof id !== "number" || left <= 0) break
      const deleted = Math.max(Number(deleteMembers.run(id, left).changes), Number(deleteScored.run(id, left).changes))
      if (deleted < left || Number(size) === 0) deleteSet.run(id)
      left -= Math.max(1, deleted)
    }
    if (left > 0) deleteGeneration.run(generation)
    return true
  }
}

/** Rows or members of one step of a sweep: a few milliseconds. */
const SWEPT_TOGETHER = 500
