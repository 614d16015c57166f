import { Effect } from "effect"
import { type Member, ReadModels } from "../../ports/read-models.ts"
import type { OrderedSet, Range } from "../../projections/engine/read-model.ts"

export interface Look {
  /** Whether anything is due, be it wanted or not. */
  readonly isAnyDue: boolean
  /** When the next one will be, as far as it was seen. */
  readonly nextDueAt: number | undefined
}

/**
 * Goes through what is due in the order of the index, a bounded way at a time, and goes on the next time from there:
 * however much stands in front that there is no room for, what is behind it is reached. What became due meanwhile is
 * seen first, whatever the way still before the walk.
 */
export const makeDueIndex = Effect.fnUntraced(function* (dueWork: OrderedSet) {
  const models = yield* ReadModels
  const members = (range: Range) => Effect.provideService(dueWork.members(range), ReadModels, models)
  let walkedTo: Member | undefined
  let lookedAt = -Infinity

  return {
    /** Shows every member that is due at `now`, or the part of them that this look gets to. */
    look: Effect.fnUntraced(function* (now: number, show: (member: Member) => void) {
      if (walkedTo !== undefined) {
        const from = lookedAt - overlapMillis
        for (const fresh of yield* members({ from, to: now, limit: pageSize })) show(fresh)
      }
      lookedAt = now
      let isAnyDue = walkedTo !== undefined
      for (let page = 0; page < pagesOfALook; page++) {
        const after = walkedTo === undefined ? {} : { after: walkedTo }
        const found = yield* members({ limit: pageSize, ...after })
        const due = found.filter(({ score }) => score <= now)
        for (const member of due) show(member)
        isAnyDue ||= due.length > 0
        walkedTo = due.length < pageSize ? undefined : due.at(-1)
        if (walkedTo === undefined) return { isAnyDue, nextDueAt: found[due.length]?.score } satisfies Look
      }
      return { isAnyDue, nextDueAt: undefined } satisfies Look
    })
  }
})

const pageSize = 256
const pagesOfALook = 8
/** The index hears of what is due a little later than it is. */
const overlapMillis = 10_000
