import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position
} from "../../../domain/events/recorded-event.ts"
import { fromHex, toHex } from "../../../domain/hex.ts"
import { rootOf, type Sha256 } from "../../../domain/log-proof/merkle.ts"
import { addLeaf, beginBlock, type Block, leafOf, noChain } from "../../../domain/log-proof/tree-head.ts"
import type { LogEntry, LoggedEvent } from "../../../ports/log-source.ts"
import { treeHeadStream } from "../../../domain/log-proof/pending-block.ts"
import type { Expected } from "./expected-tree-heads.ts"
import { type Finding, finding, type Findings } from "./findings.ts"

/** The most hints that are stored for each block. */
const MAX_HINTS = 20

/** An entry with its place in the order of the log. */
export interface OrderedEntry {
  readonly entry: LogEntry
  /** The position of the entry; undefined when the entry is out of order or its position is unknown. */
  readonly reached: Position | undefined
}

/** The position that an entry states; undefined when it states none. */
export const positionOf = (entry: LogEntry): Position | undefined => {
  switch (entry._tag) {
    case "Event":
      return entry.event.position
    case "Unreadable":
      return entry.position
    case "Missing":
    case "StoreChanged":
      return undefined
  }
}

/**
 * Compares the events of a log with its tree heads, block by block. After a changed block it continues from the signed
 * hash, so each change is located separately.
 */
export const makeEventChecker = (sha256: Sha256, findings: Findings) => {
  const order = makeOrderChecker()
  let events = 0
  let block: Block = beginBlock(0, noChain)
  /** Entries of the block without a leaf. */
  let unreadable = 0
  /** Events of the block that are not tree heads. */
  let uncovered = 0
  let hints: Array<Finding> = []
  /** The signed end of the previous block. */
  let start = beginning
  /** Positions of the first and the last event of the block that are in order. */
  let first: Position | undefined
  let end: Position | undefined

  const addHints = (...more: ReadonlyArray<Finding>) => {
    hints.push(...more.slice(0, MAX_HINTS - hints.length))
  }

  const size = (): number => block.tree.size + unreadable

  const begin = (from: number, chain: Uint8Array, after: Position) => {
    block = beginBlock(from, chain)
    start = after
    unreadable = 0
    uncovered = 0
    hints = []
    first = undefined
    end = undefined
  }

  const addUnreadable = (place: string, why: string, position: Position | undefined) => {
    unreadable++
    addHints(finding("unreadable", `${place} cannot be read: ${why}`, position))
  }

  const add = ({ entry, reached }: OrderedEntry): void => {
    if (entry._tag === "Missing") return addHints(missing(entry.from, entry.to))
    if (entry._tag === "StoreChanged") return findings.add(finding("store", entry.what))
    events++
    first ??= reached
    end = reached ?? end
    if (entry._tag === "Unreadable") return addUnreadable(entry.place, entry.why, entry.position)
    const { anomaly, event } = entry
    const position = formatPosition(event.position)
    const place = `the event at position ${position}`
    if (anomaly !== undefined) findings.add(finding("other-bytes", `${place}: ${anomaly}`, event.position))
    if (event.stream !== treeHeadStream) uncovered++
    try {
      block = addLeaf(sha256, block, leafOf(sha256, { ...event, position }))
    } catch (cause) {
      // Nested too deeply to be hashed; the service never writes such an event.
      addUnreadable(place, String(cause), event.position)
    }
  }

  /** How the block differs from the signed one; undefined when it does not. */
  const differenceFrom = ({ treeHead: { chainHash, count, from, merkleRoot, number, position } }: Expected) => {
    const signed = count - block.from
    if (size() !== signed) return `${size()} events instead of the ${signed} that tree head ${number} was signed over`
    const isSame = unreadable === 0 && toHex(block.chain) === chainHash
      && end !== undefined && formatPosition(end) === position
      // Without the previous tree head, the beginning of the block is unknown and its root cannot be computed.
      && (block.from !== from || toHex(rootOf(sha256, block.tree)) === merkleRoot)
    return isSame
      ? undefined
      : `${signed === 1 ? "it differs" : "they differ"} from what tree head ${number} was signed over`
  }

  return {
    /** Checks the order of an entry; `next` is the position of the entry after it. */
    checkOrder: (entry: LogEntry, next: Position | undefined): OrderedEntry => {
      const at = positionOf(entry)
      if (entry._tag === "Event") addHints(...order.checkId(entry.event))
      if (at === undefined) return { entry, reached: undefined }
      const { hints: found, isInOrder } = order.checkPosition(at, next)
      addHints(...found)
      return { entry, reached: isInOrder ? at : undefined }
    },
    add,
    /** Ends the block where a tree head states its end. */
    close: (expected: Expected): void => {
      const { isTrusted, treeHead: { chainHash, count, from, position } } = expected
      const difference = differenceFrom(expected)
      const signedEnd = parsePosition(position) ?? order.last()
      if (difference !== undefined) {
        // When events are missing or unreadable, the first one may be among them.
        const isShort = first === undefined || block.tree.size < count - block.from
        const where = isShort ? `after position ${formatPosition(start)}` : `position ${formatPosition(first ?? start)}`
        const last = `event ${count} (position ${position})`
        const place = count === from + 1 ? last : `between event ${from + 1} (${where}) and ${last}`
        findings.add(finding("changed", `${place}: ${difference}`, isShort ? start : first, signedEnd), ...hints)
      }
      begin(count, difference !== undefined && isTrusted ? fromHex(chainHash) : block.chain, signedEnd)
    },
    /** The position of the last entry that is in order. */
    at: order.last,
    events: () => events,
    /** Events of the open block, which no tree head covers, without tree heads. */
    uncovered: () => uncovered,
    /** The number of events up to here. Closed blocks count as they were signed. */
    counted: () => block.from + size(),
    /** Hints about the open block. */
    hints: (): ReadonlyArray<Finding> => hints
  }
}

const missing = (from: Position, to: Position): Finding => {
  const count = to.commit - from.commit + 1n
  const what = count === 1n
    ? `the event at position ${formatPosition(from)} is missing`
    : `${count} events are missing, from position ${formatPosition(from)} to ${formatPosition(to)}`
  return finding("missing", what, from, to)
}

/** The most ids and positions in memory: enough to name a nearby duplicate. */
const MAX_REMEMBERED = 20_000

/**
 * Checks ids and positions. Its findings are only hints, because an anomaly may have been there when the block was
 * signed. They are reported for a block that changed or is not signed yet, to name the event.
 */
const makeOrderChecker = () => {
  let last = beginning
  /** Positions so far are 1/1, 2/2 …, as the embedded engine assigns them. A gap then means a missing event. */
  let isGapless = true
  const ids = new Set<string>()
  /** Positions of events that are out of order. */
  const outOfOrder = new Set<bigint>()

  const areAllOutOfOrder = (from: bigint, to: bigint): boolean => {
    let next = from
    while (next <= to && outOfOrder.has(next)) next++
    return next > to
  }

  const gapBefore = (at: Position): ReadonlyArray<Finding> => {
    const next = last.commit + 1n
    const isEmbedded = at.commit === at.prepare
    if (!isGapless || (isEmbedded && at.commit === next)) return []
    // A log whose first position is not 1/1 comes from another engine.
    isGapless = isBefore(beginning, last) && isEmbedded
    if (!isGapless) return []
    const to = at.commit - 1n
    return areAllOutOfOrder(next, to) ? [] : [missing({ commit: next, prepare: next }, { commit: to, prepare: to })]
  }

  return {
    /** The position up to which events are in order. */
    last: () => last,
    checkId: ({ id, position }: LoggedEvent): ReadonlyArray<Finding> => {
      const isKnown = ids.has(id)
      if (ids.size >= MAX_REMEMBERED) ids.clear()
      ids.add(id)
      const where = formatPosition(position)
      return isKnown
        ? [finding("twice", `the event at position ${where} has the id of an earlier event: ${id}`, position)]
        : []
    },
    /** `next` is the position of the entry after it. */
    checkPosition: (
      at: Position,
      next: Position | undefined
    ): { readonly isInOrder: boolean; readonly hints: ReadonlyArray<Finding> } => {
      // `next` is lower than `at`: either this entry is too early, or the next one is too late.
      const isEarly = next !== undefined && isBefore(next, at) && isBefore(last, next)
      if (isEarly || !isBefore(last, at)) {
        if (outOfOrder.size < MAX_REMEMBERED) outOfOrder.add(at.commit)
        const message = `the event of position ${formatPosition(at)} is stored after position ${formatPosition(last)}`
        const hint = finding("out-of-order", message, at)
        return { isInOrder: false, hints: [hint] }
      }
      const hints = gapBefore(at)
      last = at
      return { isInOrder: true, hints }
    }
  }
}
