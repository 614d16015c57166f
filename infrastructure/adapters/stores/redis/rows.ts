import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../ports/read-models.ts"
import { type Amounts, changesOf } from "../../../../projections/engine/changes.ts"

/**
 * A row in Redis: a JSON object of texts, each the JSON of a field's value. Scripts merge rows field by field and read no
 * value but counters, because Lua can't represent `[]`, `null` and long numbers.
 */
export const toRowText = (fields: JsonObject): string => {
  let text = ""
  for (const [name, value] of Object.entries(fields)) {
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(JSON.stringify(value))}`
  }
  return `{${text}}`
}

/** The JSON text of a row's fields. */
export const fieldsText = (row: string): string => {
  const texts: Readonly<Record<string, unknown>> = JSON.parse(row)
  return `{${Object.entries(texts).map(([name, value]) => `${JSON.stringify(name)}:${String(value)}`).join(",")}}`
}

export const fromRowText = (row: string): JsonObject => JSON.parse(fieldsText(row))

/** A script can unpack some thousand arguments. */
const MOST_TOGETHER = 1_000

/**
 * Writes as the flat list that the script `apply` reads: a letter for the kind, the table or set, and the number of its
 * rows or members, then each of them. Hot path: what belongs to a table or a set stands together, because a command costs
 * the server more than a member, and members come in the order of their set, because the server finds the place of each one
 * near the one before it. Guarded by `npm run bench -- rebuild`. Only the last state of each row and member is sent, and a member that is added and removed is
 * sent as both: to add it removes its reservation. Amounts come last: a script that fails before them has counted nothing.
 */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const { sets, tables } = changesOf(writes)
  const args: Array<string> = []
  for (const [table, rows] of tables) {
    const [deleted, set]: [Array<string>, Array<readonly [string, JsonObject]>] = [[], []]
    for (const [key, { fields, isDeleted }] of rows) {
      if (isDeleted) deleted.push(key)
      if (fields !== undefined) set.push([key, fields])
    }
    addGroups(args, "D", table, deleted, (key) => args.push(key))
    addGroups(args, "S", table, set, ([key, fields]) => args.push(key, toRowText(fields)))
  }
  for (const [set, members] of sets) {
    const [added, removed]: [Array<Entry>, Array<string>] = [[], []]
    for (const [member, { isRemoved, score }] of members) {
      if (score !== undefined) added.push([member, score])
      if (isRemoved) removed.push(member)
    }
    addGroups(args, "A", set, added.sort(inOrder), ([member, score]) => args.push(String(score), member))
    addGroups(args, "R", set, removed, (member) => args.push(member))
  }
  for (const [table, rows] of tables) {
    const counted: Array<readonly [string, Amounts]> = []
    for (const [key, { amounts }] of rows) if (amounts !== undefined) counted.push([key, amounts])
    addGroups(args, "I", table, counted, ([key, amounts]) => args.push(key, JSON.stringify(amounts)))
  }
  return args
}

type Entry = readonly [member: string, score: number]

const inOrder = ([member, score]: Entry, [otherMember, otherScore]: Entry): number =>
  score - otherScore || (member < otherMember ? -1 : 1)

const addGroups = <A>(
  args: Array<string>,
  kind: "A" | "D" | "I" | "R" | "S",
  name: string,
  items: ReadonlyArray<A>,
  add: (item: A) => void
): void => {
  let left = items.length
  let inGroup = 0
  for (const item of items) {
    if (inGroup === 0) {
      inGroup = Math.min(left, MOST_TOGETHER)
      args.push(kind, name, String(inGroup))
    }
    add(item)
    inGroup--
    left--
  }
}
