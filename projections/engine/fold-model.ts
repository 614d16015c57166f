import type { JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"
import { withAmounts } from "./row-change.ts"

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
  const tables = new Map<string, Map<string, JsonObject>>()
  const sets = new Map<string, Map<string, number>>()
  const fixed = new Set<string>()
  const apply = (write: Write) => {
    switch (write._tag) {
      case "SetFields": {
        const rows = entryOf(tables, write.table)
        const before = rows.get(write.key)
        rows.set(write.key, before === undefined ? write.fields : { ...before, ...write.fields })
        break
      }
      case "AddToFields": {
        const rows = entryOf(tables, write.table)
        rows.set(write.key, withAmounts(rows.get(write.key) ?? {}, write.amounts))
        break
      }
      case "DeleteRow":
        tables.get(write.table)?.delete(write.key)
        break
      case "AddMember":
        if (write.isFixed === true) fixed.add(write.set)
        entryOf(sets, write.set).set(write.member, write.score)
        break
      case "RemoveMember":
        sets.get(write.set)?.delete(write.member)
        break
    }
  }
  for (const event of events) for (const write of when(event)) apply(write)
  return { tables, sets, fixed }
}

const entryOf = <A>(maps: Map<string, Map<string, A>>, key: string): Map<string, A> => {
  let map = maps.get(key)
  if (map === undefined) maps.set(key, map = new Map())
  return map
}
