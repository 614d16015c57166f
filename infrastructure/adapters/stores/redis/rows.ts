import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../ports/read-models.ts"
import { type Amounts, type RowChange, withWrite } from "../../../../projections/engine/row-change.ts"

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
 * rows or members, then each of them. What belongs to a table or a set stands together, because a command costs the
 * server more than a member. Members come in the order of their set: the server finds the place of each one near the one
 * before it. Only the last state of each row and member is sent, and a member that is added and removed is
 * sent as both: to add it removes its reservation. Amounts come last: a script that fails before them has counted nothing.
 */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const tables = new Map<string, Map<string, RowChange>>()
  const sets = new Map<string, Changes>()
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields":
      case "AddToFields":
      case "DeleteRow": {
        const rows = entryOf(tables, write.table, makeMap<RowChange>)
        rows.set(write.key, withWrite(rows.get(write.key), write))
        break
      }
      case "AddMember": {
        const { removed, set } = entryOf(sets, write.set, makeChanges)
        removed.delete(write.member)
        set.set(write.member, write.score)
        break
      }
      case "RemoveMember":
        entryOf(sets, write.set, makeChanges).removed.add(write.member)
    }
  }
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
  for (const [set, { removed, set: added }] of sets) {
    addGroups(args, "A", set, [...added].sort(inOrder), ([member, score]) => args.push(String(score), member))
    addGroups(args, "R", set, [...removed], (member) => args.push(member))
  }
  for (const [table, rows] of tables) {
    const counted: Array<readonly [string, Amounts]> = []
    for (const [key, { amounts }] of rows) if (amounts !== undefined) counted.push([key, amounts])
    addGroups(args, "I", table, counted, ([key, amounts]) => args.push(key, JSON.stringify(amounts)))
  }
  return args
}

/** The members that a batch sets, with their scores, and those that it removes. */
interface Changes {
  readonly set: Map<string, number>
  readonly removed: Set<string>
}

const makeChanges = (): Changes => ({ set: new Map(), removed: new Set() })

type Entry = readonly [member: string, score: number]

const inOrder = ([member, score]: Entry, [otherMember, otherScore]: Entry): number =>
  score - otherScore || (member < otherMember ? -1 : 1)

const makeMap = <A>() => new Map<string, A>()

const entryOf = <A>(all: Map<string, A>, name: string, make: () => A): A => {
  let entry = all.get(name)
  if (entry === undefined) all.set(name, entry = make())
  return entry
}

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
