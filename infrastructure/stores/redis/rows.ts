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

/** Writes as the flat list that the script `apply` reads: a letter for the kind, then its arguments. */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const args: Array<string> = []
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields":
        args.push("S", write.table, write.key, toRowText(write.fields))
        break
      case "DeleteRow":
        args.push("D", write.table, write.key)
        break
      case "AddMember":
        args.push("A", write.set, write.member, String(write.score))
        break
      case "RemoveMember":
        args.push("R", write.set, write.member)
    }
  }
  return args
}
