import { Effect } from "effect"
import { type Member, ReadModels } from "../../ports/read-models.ts"
import type { OrderedSet, Range } from "../../projections/engine/read-model.ts"

export interface Scan {
  readonly isAnyDue: boolean
  /** The due time of the next member; undefined when the scan did not reach it. */
  readonly nextDueAt: number | undefined
}

/**
 * Scans a due index: a set scored by due time in milliseconds. Each scan reads a bounded number of pages in order, and
 * the next scan continues there. So it reaches work behind members that have no free slot. Members that became due
 * since the last scan come first.
 */
export const makeDueScanner = Effect.fnUntraced(function* (index: OrderedSet) {
  const models = yield* ReadModels
  const members = (range: Range) => Effect.provideService(index.members(range), ReadModels, models)
  let scannedTo: Member | undefined
  let scannedAt = -Infinity

  return {
    /** Calls `visit` with members that are due at `now`. */
    scan: Effect.fnUntraced(function* (now: number, visit: (member: Member) => void) {
      if (scannedTo !== undefined) {
        const from = scannedAt - INDEX_DELAY_MILLIS
        for (const newlyDue of yield* members({ from, to: now, limit: PAGE_SIZE })) visit(newlyDue)
      }
      scannedAt = now
      let isAnyDue = scannedTo !== undefined
      for (let page = 0; page < PAGES_PER_SCAN; page++) {
        const after = scannedTo === undefined ? {} : { after: scannedTo }
        const found = yield* members({ limit: PAGE_SIZE, ...after })
        const due = found.filter(({ score }) => score <= now)
        for (const member of due) visit(member)
        isAnyDue ||= due.length > 0
        scannedTo = due.length < PAGE_SIZE ? undefined : due.at(-1)
        if (scannedTo === undefined) return { isAnyDue, nextDueAt: found[due.length]?.score } satisfies Scan
      }
      return { isAnyDue, nextDueAt: undefined } satisfies Scan
    })
  }
})

const PAGE_SIZE = 256
const PAGES_PER_SCAN = 8
/** A member may enter the index this long after its due time. */
const INDEX_DELAY_MILLIS = 10_000
