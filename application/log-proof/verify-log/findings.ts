import { formatPosition, type Position } from "../../../domain/events/recorded-event.ts"

/**
 * - `changed`: events differ from those that were signed
 * - `missing`, `out-of-order`, `twice`, `unreadable`, `other-bytes`: what is wrong with an event, where that is known
 * - `store`: what the store keeps beside the events was changed
 * - `cut-off`: the log ends before a position that is known from elsewhere
 * - `checkpoint`: a tree head is missing, differs between log and file, or does not continue the previous one
 * - `signature`: no trusted key signed a tree head
 */
export type FindingKind =
  | "changed"
  | "missing"
  | "out-of-order"
  | "twice"
  | "unreadable"
  | "other-bytes"
  | "store"
  | "cut-off"
  | "checkpoint"
  | "signature"

/** Evidence that the log differs from what was signed. */
export interface Finding {
  readonly kind: FindingKind
  /** For a person, with the place. */
  readonly message: string
  /** Position of the first event concerned; null when unknown. */
  readonly from: string | null
  /** Position of the last event concerned. */
  readonly to: string | null
}

/** A finding about a range of the log; about one event without `to`. */
export const finding = (kind: FindingKind, message: string, from?: Position, to = from): Finding => ({
  kind,
  message,
  from: from === undefined ? null : formatPosition(from),
  to: to === undefined ? null : formatPosition(to)
})

/** The findings so far. Keeps the first thousand and counts the rest. */
export interface Findings {
  readonly add: (...more: ReadonlyArray<Finding>) => void
  readonly all: () => ReadonlyArray<Finding>
  readonly count: () => number
}

const KEPT = 1_000

export const makeFindings = (): Findings => {
  const all: Array<Finding> = []
  let count = 0
  return {
    add: (...more) => {
      count += more.length
      all.push(...more.slice(0, KEPT - all.length))
    },
    all: () => all,
    count: () => count
  }
}
