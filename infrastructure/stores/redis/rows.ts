import type { JsonObject } from "../../../domain/events/recorded-event.ts"
import type { Write } from "../../../ports/read-models.ts"

/**
 * A row in Redis: a JSON object of texts, each the JSON of a field's value. Scripts merge rows field by field and never
 * read a value, because Lua can't represent `[]`, `null` and long numbers.
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
 * server more than a member. Only the last state of each row and member is sent, and a member that is added and removed is
 * sent as both: to add it removes its reservation.
 */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const tables = new Map<string, Changes<JsonObject>>()
  const sets = new Map<string, Changes<number>>()
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields": {
        const { set } = changesOf(tables, write.table)
        const before = set.get(write.key)
        set.set(write.key, before === undefined ? write.fields : { ...before, ...write.fields })
        break
      }
      case "DeleteRow": {
        const { removed, set } = changesOf(tables, write.table)
        set.delete(write.key)
        removed.add(write.key)
        break
      }
      case "AddMember": {
        const { removed, set } = changesOf(sets, write.set)
        removed.delete(write.member)
        set.set(write.member, write.score)
        break
      }
      case "RemoveMember":
        changesOf(sets, write.set).removed.add(write.member)
    }
  }
  const args: Array<string> = []
  for (const [table, { removed, set }] of tables) {
    addGroups(args, "D", table, removed, (key) => args.push(key))
    addGroups(args, "S", table, set, ([key, fields]) => args.push(key, toRowText(fields)))
  }
  for (const [set, { removed, set: added }] of sets) {
    addGroups(args, "A", set, added, ([member, score]) => args.push(String(score), member))
    addGroups(args, "R", set, removed, (member) => args.push(member))
  }
  return args
}

/** The rows or members that a batch sets, and those that it removes. */
interface Changes<Value> {
  readonly set: Map<string, Value>
  readonly removed: Set<string>
}

const changesOf = <Value>(all: Map<string, Changes<Value>>, name: string): Changes<Value> => {
  let changes = all.get(name)
  if (changes === undefined) all.set(name, changes = { set: new Map(), removed: new Set() })
  return changes
}

const addGroups = <A>(
  args: Array<string>,
  kind: "A" | "D" | "R" | "S",
  name: string,
  items: { readonly size: number } & Iterable<A>,
  add: (item: A) => void
): void => {
  let left = items.size
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
