import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import type { MemberWrite, RowWrite, Write } from "../../ports/read-models.ts"

/** What several writes amount to: each row and each member once. All engines, builds and batches fold writes here. */
export interface Changes {
  /** By table, then key. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, RowChange>>
  /** By set, then member. */
  readonly sets: ReadonlyMap<string, MemberChanges>
}

export type MemberChanges = ReadonlyMap<string, MemberChange>

/** What several writes do to one row, in this order: delete it, set fields, add amounts to other fields. */
export interface RowChange {
  readonly isDeleted: boolean
  /** Undefined when no field is set. */
  readonly fields: JsonObject | undefined
  readonly amounts: Amounts | undefined
}

/** What several writes do to one member of a set, in this order: add it, remove it. */
export interface MemberChange {
  /** The last score that it was added with; undefined when it was not added. */
  readonly score: number | undefined
  readonly isRemoved: boolean
  /** Its score in a fixed set; undefined in another set. */
  readonly fixedScore: number | undefined
}

export type Amounts = Readonly<Record<string, number>>

/** Makes changes that take one write after another. */
export const makeChanges = (): Changes & { readonly add: (write: Write) => void } => {
  const tables = new Map<string, Map<string, RowChange>>()
  const sets = new Map<string, Map<string, MemberChange>>()
  return {
    tables,
    sets,
    add: (write) => {
      if ("table" in write) {
        const rows = entryOf(tables, write.table)
        rows.set(write.key, withWrite(rows.get(write.key), write))
      } else {
        const members = entryOf(sets, write.set)
        members.set(write.member, withMemberWrite(members.get(write.member), write))
      }
    }
  }
}

export const changesOf = (writes: Iterable<Write>): Changes => {
  const changes = makeChanges()
  for (const write of writes) changes.add(write)
  return changes
}

/** The fewest writes that amount to changes. */
export const writesOf = ({ sets, tables }: Changes): ReadonlyArray<Write> => {
  const writes: Array<Write> = []
  for (const [table, rows] of tables) {
    for (const [key, { amounts, fields, isDeleted }] of rows) {
      if (isDeleted) writes.push({ _tag: "DeleteRow", table, key })
      if (fields !== undefined) writes.push({ _tag: "SetFields", table, key, fields })
      if (amounts !== undefined) writes.push({ _tag: "AddToFields", table, key, amounts })
    }
  }
  for (const [set, members] of sets) {
    for (const [member, { fixedScore, isRemoved, score }] of members) {
      const fixed = fixedScore !== undefined
      if (score !== undefined) {
        writes.push({ _tag: "AddMember", set, member, score, ...(fixed ? { isFixed: true } : {}) })
      }
      if (isRemoved) writes.push({ _tag: "RemoveMember", set, member, ...(fixed ? { fixedScore } : {}) })
    }
  }
  return writes
}

const entryOf = <A>(maps: Map<string, Map<string, A>>, key: string): Map<string, A> => {
  let map = maps.get(key)
  if (map === undefined) maps.set(key, map = new Map())
  return map
}

const withMemberWrite = (before: MemberChange | undefined, write: MemberWrite): MemberChange =>
  write._tag === "AddMember"
    ? { score: write.score, isRemoved: false, fixedScore: write.isFixed === true ? write.score : undefined }
    : { score: before?.score, isRemoved: true, fixedScore: write.fixedScore }

const unchanged: RowChange = { isDeleted: false, fields: undefined, amounts: undefined }

const withWrite = (before: RowChange = unchanged, write: RowWrite): RowChange => {
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
      const known = before.fields
      if (known === undefined) {
        const amounts = before.amounts === undefined ? write.amounts : sumOf(before.amounts, write.amounts)
        return { isDeleted: false, fields: undefined, amounts }
      }
      const ofKnown = Object.entries(write.amounts).filter(([name]) => Object.hasOwn(known, name))
      const others = without(write.amounts, known)
      return {
        isDeleted: false,
        fields: ofKnown.length === 0 ? known : withAmounts(known, Object.fromEntries(ofKnown)),
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

const sumOf = (one: Amounts, other: Amounts): Amounts => {
  const sums: Record<string, number> = { ...one }
  for (const [name, amount] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + amount
  return sums
}

const without = (amounts: Amounts, fields: JsonObject): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !Object.hasOwn(fields, name)))
