import type { JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { makeChanges, withAmounts } from "./changes.ts"
import type { Projection } from "./projection.ts"

/** A read model in memory. */
export interface FoldedModel {
  /** By table, then key. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>
  /** By set, then member, with its score. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The sets whose members always have the same score. */
  readonly fixed: ReadonlySet<string>
}

/** The read model of a projection after these events. Throws when the projection throws. */
export const foldModel = ({ when }: Projection, events: Iterable<RecordedEvent>): FoldedModel => {
  const changes = makeChanges()
  for (const event of events) when(event).forEach(changes.add)
  const tables = new Map<string, Map<string, JsonObject>>()
  for (const [table, rows] of changes.tables) {
    const all = new Map<string, JsonObject>()
    for (const [key, { amounts, fields }] of rows) {
      if (fields !== undefined || amounts !== undefined) all.set(key, withAmounts(fields ?? {}, amounts ?? {}))
    }
    tables.set(table, all)
  }
  const sets = new Map<string, Map<string, number>>()
  const fixed = new Set<string>()
  for (const [set, members] of changes.sets) {
    const all = new Map<string, number>()
    for (const [member, { fixedScore, isRemoved, score }] of members) {
      if (fixedScore !== undefined) fixed.add(set)
      if (score !== undefined && !isRemoved) all.set(member, score)
    }
    sets.set(set, all)
  }
  return { tables, sets, fixed }
}
