import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"

/** A naive read model: the result of a sequence of writes, in maps. */
export interface NaiveModel {
  readonly rows: ReadonlyMap<string, { readonly table: string; readonly key: string; readonly fields: JsonObject }>
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, number>>
}

export const naiveModel = (writes: ReadonlyArray<Write>): NaiveModel => {
  const rows = new Map<string, { readonly table: string; readonly key: string; readonly fields: JsonObject }>()
  const sets = new Map<string, Map<string, number>>()
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields": {
        const { fields, key, table } = write
        const rowKey = JSON.stringify([table, key])
        rows.set(rowKey, { table, key, fields: { ...rows.get(rowKey)?.fields, ...fields } })
        break
      }
      case "AddToFields": {
        const { amounts, key, table } = write
        const rowKey = JSON.stringify([table, key])
        const fields: Record<string, Json> = { ...rows.get(rowKey)?.fields }
        for (const [name, amount] of Object.entries(amounts)) {
          const before = fields[name]
          fields[name] = typeof before === "number" ? before + amount : amount
        }
        rows.set(rowKey, { table, key, fields })
        break
      }
      case "DeleteRow":
        rows.delete(JSON.stringify([write.table, write.key]))
        break
      case "AddMember":
        sets.set(write.set, (sets.get(write.set) ?? new Map<string, number>()).set(write.member, write.score))
        break
      case "RemoveMember":
        sets.get(write.set)?.delete(write.member)
        break
    }
  }
  return { rows, sets }
}

/** The lines that the port's `dump` must return for the model. The fields of its rows must be flat. */
export const naiveDump = (naive: NaiveModel): ReadonlyArray<string> =>
  [
    ...Array.from(naive.rows.values(), ({ fields, key, table }) =>
      JSON.stringify({ fields: sorted(fields), key, table })),
    ...Array.from(naive.sets, ([set, members]) =>
      Array.from(members, ([member, score]) =>
        JSON.stringify({ member, score, set }))).flat()
  ].sort()

const sorted = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => a < b ? -1 : 1))
