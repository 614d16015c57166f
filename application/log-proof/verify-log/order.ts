import { beginning, formatPosition, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import type { LoggedEvent } from "../../../ports/log-source.ts"
import { type Finding, finding } from "./findings.ts"

/** Ids that are remembered: enough to name an event that stands twice not far away, in memory that does not grow. */
const REMEMBERED = 20_000

/** Events between two positions, both included, are gone. */
export const missing = (from: Position, to: Position): Finding => {
  const count = to.commit - from.commit + 1n
  const what = count === 1n
    ? `the event at position ${formatPosition(from)} is missing`
    : `${count} events are missing, from position ${formatPosition(from)} to ${formatPosition(to)}`
  return finding("missing", what, from, to)
}

/**
 * Watches where events stand. What it finds are hints: what was signed like that is as it was. They count where the
 * chain is broken, or is not signed yet, and say then which event it is.
 */
export const makeOrder = () => {
  let last = beginning
  /** Positions have been 1/1, 2/2 … so far, as an embedded log hands them out: there none can be missing. */
  let isGapless = true
  const ids = new Set<string>()
  /** Where events said that they belong that stood elsewhere. */
  const strays = new Set<bigint>()

  const stoodElsewhere = (from: bigint, to: bigint): boolean => {
    let next = from
    while (next <= to && strays.has(next)) next++
    return next > to
  }

  const gapBefore = (at: Position): ReadonlyArray<Finding> => {
    const next = last.commit + 1n
    const isAsHandedOut = at.commit === at.prepare
    if (!isGapless || (isAsHandedOut && at.commit === next)) return []
    // A log whose first position is another one is kept elsewhere.
    isGapless = isBefore(beginning, last) && isAsHandedOut
    if (!isGapless) return []
    const to = at.commit - 1n
    return stoodElsewhere(next, to) ? [] : [missing({ commit: next, prepare: next }, { commit: to, prepare: to })]
  }

  return {
    /** The position up to which events came in order. */
    last: () => last,
    /** Looks whether an id was there before. */
    identify: ({ id, position }: LoggedEvent): ReadonlyArray<Finding> => {
      const isKnown = ids.has(id)
      if (ids.size >= REMEMBERED) ids.clear()
      ids.add(id)
      const where = formatPosition(position)
      return isKnown
        ? [finding("twice", `the event at position ${where} has an id that was there before: ${id}`, position)]
        : []
    },
    /** Looks where something stands; `next` is the position of what is behind it. `isInOrder` is false out of its place. */
    look: (
      at: Position,
      next: Position | undefined
    ): { readonly isInOrder: boolean; readonly hints: ReadonlyArray<Finding> } => {
      // Before one that belongs in front of it: either it came too early, or that one comes too late.
      const isEarly = next !== undefined && isBefore(next, at) && isBefore(last, next)
      if (isEarly || !isBefore(last, at)) {
        if (strays.size < REMEMBERED) strays.add(at.commit)
        const where = `behind position ${formatPosition(last)}`
        const hint = finding("out-of-order", `the event of position ${formatPosition(at)} stands ${where}`, at)
        return { isInOrder: false, hints: [hint] }
      }
      const hints = gapBefore(at)
      last = at
      return { isInOrder: true, hints }
    }
  }
}
