import type { DatabaseSync } from "node:sqlite"
import type { RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { handlesStream, type Projection } from "../../../../../projections/engine/projection.ts"
import { type Changes, makeChanges } from "../../../../../projections/engine/changes.ts"
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
  let hasRemovals = false

  const add = ({ sets, tables }: Changes) => {
    for (const [table, rows] of tables) {
      for (const [key, { amounts, fields, isDeleted }] of rows) {
        if (isDeleted) collected.rows.add(table, key, null)
        if (fields !== undefined) collected.rows.add(table, key, JSON.stringify(fields))
        if (amounts !== undefined) collected.rows.add(table, key, COUNTED + JSON.stringify(amounts))
      }
    }
    for (const [set, members] of sets) {
      for (const [member, { fixedScore, isRemoved, score }] of members) {
        if (fixedScore === undefined) collected.members.add(set, member, isRemoved ? null : score ?? null)
        else collected.fixed.add(set, member, fixedScore, isRemoved ? 0 : 1)
        if (fixedScore !== undefined && isRemoved) hasRemovals = true
      }
    }
  }

  return {
    collect: (page) => {
      const changes = makeChanges()
      try {
        for (const event of page) {
          if (handlesStream(projection, event.stream)) projection.when(event).forEach(changes.add)
        }
      } catch {
        // The projector stops in front of this event, and reports it.
        return false
      }
      add(changes)
      return true
    },
    flush: () => {
      const count = collected.rows.flush() + collected.members.flush() + collected.fixed.flush()
      return { count, hasRemovals }
    }
  }
}

/** Marks the amounts of `AddToFields` among the collected fields, which are JSON. */
export const COUNTED = "+"
