import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import type { RowWrite } from "../../ports/read-models.ts"

/** What several writes of a batch do to one row, in this order: delete it, set fields, add amounts to other fields. */
export interface RowChange {
  readonly isDeleted: boolean
  /** Undefined when no field is set. */
  readonly fields: JsonObject | undefined
  readonly amounts: Amounts | undefined
}

export type Amounts = Readonly<Record<string, number>>

const unchanged: RowChange = { isDeleted: false, fields: undefined, amounts: undefined }

/** The change of a row after one more write. */
export const withWrite = (before: RowChange = unchanged, write: RowWrite): RowChange => {
  switch (write._tag) {
    case "DeleteRow":
      return { isDeleted: true, fields: undefined, amounts: undefined }
    case "SetFields": {
      const fields = before.fields === undefined ? write.fields : { ...before.fields, ...write.fields }
      const { amounts } = before
      return { ...before, fields, amounts: amounts === undefined ? undefined : without(amounts, write.fields) }
    }
    case "AddToFields": {
      // The values of a row that is deleted first are known: it has none.
      if (before.isDeleted) return { ...before, fields: withAmounts(before.fields ?? {}, write.amounts) }
      const known = before.fields ?? {}
      const ofKnown = Object.entries(write.amounts).filter(([name]) => Object.hasOwn(known, name))
      const others = without(write.amounts, known)
      return {
        isDeleted: false,
        fields: ofKnown.length === 0 ? before.fields : withAmounts(known, Object.fromEntries(ofKnown)),
        amounts: before.amounts === undefined ? others : sumOf(before.amounts, others)
      }
    }
  }
}

/** The fields of a row after amounts were added. A field that is absent or not a number counts as 0. */
export const withAmounts = (fields: JsonObject, amounts: Amounts): JsonObject => {
  const added: Record<string, Json> = { ...fields }
  for (const [name, amount] of Object.entries(amounts)) {
    const before = Object.hasOwn(added, name) ? added[name] : 0
    added[name] = (typeof before === "number" ? before : 0) + amount
  }
  return added
}

/** Adds amounts to each other. */
export const sumOf = (one: Amounts, other: Amounts): Amounts => {
  const sums: Record<string, number> = { ...one }
  for (const [name, amount] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + amount
  return sums
}

const without = (amounts: Amounts, fields: JsonObject): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !Object.hasOwn(fields, name)))
