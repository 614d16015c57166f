import type { JsonObject } from "../../../../../domain/events/recorded-event.ts"
import { canonicalJson } from "../../../../../domain/log-proof/canonical-json.ts"
import type { Difference } from "../../../../../projections/engine/model-difference.ts"
import type { MemberTable, ModelContent } from "./model-content.ts"

export interface CompareOptions {
  /** The most differences to return; all are counted. */
  readonly most: number
  /** The fields of a row as they are compared. */
  readonly normalize?: (table: string, fields: string) => string
  /** The orders of the members of sets that are compared: all by default. Without any, no set is compared. */
  readonly orders?: ReadonlyArray<MemberTable>
}

export interface ContentDifferences {
  readonly differences: ReadonlyArray<Difference>
  readonly count: number
}

/** Compares the content of a model with the content that the log gives. Memory grows with neither of them. */
export const compareContent = (
  model: ModelContent,
  log: ModelContent,
  { most, normalize = (_, fields) => fields, orders = ["scored", "members"] }: CompareOptions
): ContentDifferences => {
  const differences: Array<Difference> = []
  let count = 0
  const add = (difference: Difference) => {
    count++
    if (differences.length < most) differences.push(difference)
  }
  compareRows(model, log, normalize, add)
  for (const table of orders) compareMembers(model, log, table, add)
  for (const [set, size] of orders.length > 0 ? model.sizes() : []) {
    const expected = log.size(set)
    if (size !== expected) add({ _tag: "size", set, model: size, log: expected })
  }
  return { differences, count }
}

type Add = (difference: Difference) => void

const compareRows = (
  model: ModelContent,
  log: ModelContent,
  normalize: (table: string, fields: string) => string,
  add: Add
) => {
  let explained = 0
  for (const [table, key, fields] of model.rows()) {
    const expected = log.row(table, key)
    if (expected !== undefined) explained++
    const found = normalize(table, fields)
    if (expected === found || (expected !== undefined && isSameRow(found, expected))) continue
    add({ _tag: "row", table, key, model: rowOf(found), log: expected === undefined ? undefined : rowOf(expected) })
  }
  if (explained === log.rowCount()) return
  for (const [table, key, fields] of log.rows()) {
    if (model.row(table, key) === undefined) add({ _tag: "row", table, key, model: undefined, log: rowOf(fields) })
  }
}

const compareMembers = (model: ModelContent, log: ModelContent, table: MemberTable, add: Add) => {
  let explained = 0
  for (const [set, member, score] of model.members(table)) {
    if (log.has(table, set, member, score)) explained++
    else add({ _tag: "member", set, member, score, isIn: "model" })
  }
  if (explained === log.memberCount(table)) return
  for (const [set, member, score] of log.members(table)) {
    if (!model.has(table, set, member, score)) add({ _tag: "member", set, member, score, isIn: "log" })
  }
}

/** The order of the fields depends on the batches in which a row was written. */
const isSameRow = (one: string, other: string): boolean => canonicalJson(rowOf(one)) === canonicalJson(rowOf(other))

const rowOf = (fields: string): JsonObject => {
  try {
    const row: unknown = JSON.parse(fields)
    return typeof row === "object" && row !== null && !Array.isArray(row) ? row as JsonObject : { notAnObject: fields }
  } catch {
    return { notJson: fields }
  }
}
