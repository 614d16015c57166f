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
 * Writes as the flat list that the script `apply` reads: a letter for the kind, then its arguments. Members that are
 * added to one set in a row stand together: their number, then score and member of each.
 */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const args: Array<string> = []
  let set: string | undefined
  let counter = 0
  let count = 0
  for (const write of writes) {
    if (write._tag !== "AddMember") set = undefined
    switch (write._tag) {
      case "SetFields":
        args.push("S", write.table, write.key, toRowText(write.fields))
        break
      case "DeleteRow":
        args.push("D", write.table, write.key)
        break
      case "AddMember":
        if (write.set !== set || count === MOST_TOGETHER) {
          set = write.set
          count = 0
          counter = args.push("A", set, "") - 1
        }
        args[counter] = String(++count)
        args.push(String(write.score), write.member)
        break
      case "RemoveMember":
        args.push("R", write.set, write.member)
    }
  }
  return args
}
