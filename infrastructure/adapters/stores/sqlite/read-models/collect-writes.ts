import type { DatabaseSync } from "node:sqlite"
import type { RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../../ports/read-models.ts"
import { handlesStream, type Projection } from "../../../../../projections/engine/projection.ts"
import { type Amounts, sumOf } from "../../../../../projections/engine/row-change.ts"
import { makeCollector } from "./insert-many.ts"

/** The tables of collected writes of the projection with this index, without the name of their database. */
export const collectedTables = (index: number) => ({
  rows: `rows_${index}`,
  members: `members_${index}`,
  fixed: `fixed_${index}`
})

/** Collects the writes of one projection. */
export interface WriteCollector {
  /** False when the projection throws on one of the events. */
  readonly collect: (page: ReadonlyArray<RecordedEvent>) => boolean
  /** Call it after the last page. */
  readonly flush: () => CollectedWrites
}

/** What was collected for a model. */
export interface CollectedWrites {
  readonly count: number
  /** Whether members are removed from fixed sets. */
  readonly hasRemovals: boolean
}

/** Makes the tables for the writes of a projection in the database `schema`, and fills them inside a transaction. */
export const makeWriteCollector = (
  database: DatabaseSync,
  schema: string,
  projection: Projection,
  index: number
): WriteCollector => {
  const { fixed, members, rows } = collectedTables(index)
  database.exec(
    `CREATE TABLE ${schema}.${rows}(seq INTEGER PRIMARY KEY, tbl TEXT, key TEXT, fields TEXT);
     CREATE TABLE ${schema}.${members}(seq INTEGER PRIMARY KEY, name TEXT, member TEXT, score REAL);
     CREATE TABLE ${schema}.${fixed}(seq INTEGER PRIMARY KEY, name TEXT, member TEXT, score REAL, isAdded INTEGER)`
  )
  const collected = {
    rows: makeCollector(database, `${schema}.${rows}(tbl, key, fields)`),
    members: makeCollector(database, `${schema}.${members}(name, member, score)`),
    fixed: makeCollector(database, `${schema}.${fixed}(name, member, score, isAdded)`)
  }
  const repeated = makeRepeated()
  let hasRemovals = false

  const counters = makeCounters((table, key, amounts) =>
    collected.rows.add(table, key, COUNTED + JSON.stringify(amounts))
  )

  const add = (write: Write) => {
    switch (write._tag) {
      case "AddToFields":
        return counters.add(write)
      case "SetFields":
        counters.flushRow(write)
        return collected.rows.add(write.table, write.key, JSON.stringify(write.fields))
      case "DeleteRow":
        counters.flushRow(write)
        return collected.rows.add(write.table, write.key, null)
      case "AddMember":
        if (write.isFixed === true) return collected.fixed.add(write.set, write.member, write.score, 1)
        if (repeated.isRepeated(write)) return
        return collected.members.add(write.set, write.member, write.score)
      case "RemoveMember":
        if (write.fixedScore !== undefined) {
          hasRemovals = true
          return collected.fixed.add(write.set, write.member, write.fixedScore, 0)
        }
        repeated.remove(write)
        return collected.members.add(write.set, write.member, null)
    }
  }

  return {
    collect: (page) => {
      try {
        for (const event of page) if (handlesStream(projection, event.stream)) projection.when(event).forEach(add)
        return true
      } catch {
        // The projector stops in front of this event, and reports it.
        return false
      }
    },
    flush: () => {
      counters.flush()
      const count = collected.rows.flush() + collected.members.flush() + collected.fixed.flush()
      return { count, hasRemovals }
    }
  }
}

/** Marks the amounts of `AddToFields` among the collected fields, which are JSON. */
export const COUNTED = "+"

type RowName = Pick<Extract<Write, { readonly _tag: "SetFields" }>, "table" | "key">

/** Adds up the amounts of each row in memory, so that an hour of events is collected as a few rows. */
const makeCounters = (collect: (table: string, key: string, amounts: Amounts) => void) => {
  const counted = new Map<string, RowName & { readonly amounts: Amounts }>()
  const nameOf = ({ key, table }: RowName): string => `${table}\n${key}`
  const flush = () => {
    for (const { amounts, key, table } of counted.values()) collect(table, key, amounts)
    counted.clear()
  }
  return {
    add: ({ amounts, key, table }: RowName & { readonly amounts: Amounts }) => {
      const name = nameOf({ key, table })
      const before = counted.get(name)
      if (before === undefined && counted.size === MOST_KNOWN) flush()
      counted.set(name, { table, key, amounts: before === undefined ? amounts : sumOf(before.amounts, amounts) })
    },
    /** Before another write to the row: amounts that were added first belong before it. */
    flushRow: (row: RowName) => {
      const before = counted.get(nameOf(row))
      if (before === undefined) return
      counted.delete(nameOf(row))
      collect(before.table, before.key, before.amounts)
    },
    flush
  }
}

type NamedMember = Pick<Extract<Write, { readonly _tag: "AddMember" }>, "set" | "member">

/** Recognizes members that are added again and again: every charge adds its month, and every event adds its hour. */
const makeRepeated = () => {
  const scores = new Map<string, Map<string, number>>()
  let known = 0
  return {
    isRepeated: ({ member, score, set }: NamedMember & { readonly score: number }): boolean => {
      if (known === MOST_KNOWN) {
        scores.clear()
        known = 0
      }
      let ofSet = scores.get(set)
      if (ofSet === undefined) scores.set(set, ofSet = new Map())
      if (ofSet.get(member) === score) return true
      ofSet.set(member, score)
      known++
      return false
    },
    remove: ({ member, set }: NamedMember): void => void scores.get(set)?.delete(member)
  }
}

/** Some hundred kilobytes. */
const MOST_KNOWN = 2_000
