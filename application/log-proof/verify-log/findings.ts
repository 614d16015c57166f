import { formatPosition, type Position } from "../../../domain/events/recorded-event.ts"

/**
 * - `changed`: events differ from those that were signed
 * - `missing`, `out-of-order`, `twice`, `unreadable`, `other-bytes`: the fault of a single event, if it can be named
 * - `store`: data that the store holds beside the events was changed
 * - `cut-off`: the log ends before a position that another source has recorded
 * - `checkpoint`: a tree head is missing, differs between log and file, or does not continue the previous one
 * - `signature`: no trusted key signed a tree head
 * - `quota`: the log has more charges than a quota allows
 * - `model`: a read model that decides something differs from the log
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
  | "quota"
  | "model"

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

/** A finding about a range of the log, or about one event when `to` is omitted. */
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

const MAX_FINDINGS = 1_000

export const makeFindings = (): Findings => {
  const all: Array<Finding> = []
  let count = 0
  return {
    add: (...more) => {
      count += more.length
      all.push(...more.slice(0, MAX_FINDINGS - all.length))
    },
    all: () => all,
    count: () => count
  }
}
