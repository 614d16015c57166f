import { formatPosition, type Position } from "../../../domain/events/recorded-event.ts"

/**
 * - `changed`: events are not those that were signed
 * - `missing`, `out-of-order`, `twice`, `unreadable`, `other-bytes`: what is wrong with an event, where that can be told
 * - `store`: what the store keeps beside the events is not as it makes it
 * - `cut-off`: the log ends before what is known of it elsewhere
 * - `checkpoint`: a checkpoint is missing, is another one elsewhere, or does not fit the ones around it
 * - `signature`: a checkpoint is not signed by a key that is trusted
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

/** Something that shows that the log is not what was signed, and where. */
export interface Finding {
  readonly kind: FindingKind
  /** In words, the place included. */
  readonly message: string
  /** Position of the first event that it is about; null where that is not known. */
  readonly from: string | null
  /** Position of the last one. */
  readonly to: string | null
}

/** A finding about a stretch of the log; about one event without `to`. */
export const finding = (kind: FindingKind, message: string, from?: Position, to = from): Finding => ({
  kind,
  message,
  from: from === undefined ? null : formatPosition(from),
  to: to === undefined ? null : formatPosition(to)
})

/** What was found so far; of very many only the first are kept. */
export interface Findings {
  readonly add: (...more: ReadonlyArray<Finding>) => void
  readonly all: () => ReadonlyArray<Finding>
  /** How many there were in all. */
  readonly count: () => number
}

const MOST = 1_000

export const makeFindings = (): Findings => {
  const kept: Array<Finding> = []
  let count = 0
  return {
    add: (...more) => {
      count += more.length
      kept.push(...more.slice(0, MOST - kept.length))
    },
    all: () => kept,
    count: () => count
  }
}

/** Numbers that come one after the other and mostly without gaps, told as few stretches: `3`, `7 to 12`. */
export const makeStretches = () => {
  const stretches: Array<{ readonly from: number; readonly to: number }> = []
  return {
    /** All from one number to another: whoever forges one may make the stretch as long as numbers go. */
    add: (from: number, to = from) => {
      const last = stretches.at(-1)
      if (last?.to === from - 1) stretches[stretches.length - 1] = { from: last.from, to }
      else stretches.push({ from, to })
    },
    told: () => stretches.map(({ from, to }) => from === to ? `checkpoint ${from}` : `checkpoints ${from} to ${to}`)
  }
}
