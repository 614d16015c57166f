import { addLeaf, beginBlock, type Block, leafOf, noChain } from "../../../domain/log-proof/chain.ts"
import { rootOf } from "../../../domain/log-proof/merkle.ts"
import type { Sha256 } from "../../../domain/log-proof/sha256.ts"
import { fromHex, toHex } from "../../../domain/hex.ts"
import { treeHeadStream } from "../tree-head-event.ts"
import { beginning, formatPosition, parsePosition, type Position } from "../../../domain/events/recorded-event.ts"
import type { LogEntry } from "../../../ports/log-source.ts"
import type { Expected } from "./expected.ts"
import { type Finding, finding, type Findings } from "./findings.ts"
import { makeOrder, missing } from "./order.ts"

/** Hints that are kept of one block. */
const MOST_HINTS = 20

/** An entry, judged by where it stands. */
export interface Placed {
  readonly entry: LogEntry
  /** Where the log has got to with it; undefined when it is out of its place, or that is not known. */
  readonly reached: Position | undefined
}

/** Where an entry says that it stands; undefined where nothing tells. */
export const positionOf = (entry: LogEntry): Position | undefined => {
  switch (entry._tag) {
    case "Event":
      return entry.event.position
    case "Unreadable":
      return entry.position
    case "Missing":
    case "Amiss":
      return undefined
  }
}

/**
 * Holds the events of a log against its checkpoints, block by block. After a block that is not as it was signed it goes
 * on from what was signed, so that each damage is found where it is.
 */
export const makeExaminer = (sha256: Sha256, findings: Findings) => {
  const order = makeOrder()
  let events = 0
  let block: Block = beginBlock(0, noChain)
  /** Entries of the block that have no leaf. */
  let unreadable = 0
  /** Events of the block that are no checkpoints. */
  let news = 0
  let hints: Array<Finding> = []
  /** Where the block before ended, as it was signed. */
  let start = beginning
  /** The first and the last event of the block that are in order. */
  let first: Position | undefined
  let end: Position | undefined

  const hint = (...more: ReadonlyArray<Finding>) => {
    hints.push(...more.slice(0, MOST_HINTS - hints.length))
  }

  const size = (): number => block.tree.size + unreadable

  const begin = (from: number, chain: Uint8Array, behind: Position) => {
    block = beginBlock(from, chain)
    start = behind
    unreadable = 0
    news = 0
    hints = []
    first = undefined
    end = undefined
  }

  const cannotRead = (place: string, why: string, position: Position | undefined) => {
    unreadable++
    hint(finding("unreadable", `${place} cannot be read: ${why}`, position))
  }

  const add = ({ entry, reached }: Placed): void => {
    if (entry._tag === "Missing") return hint(missing(entry.from, entry.to))
    if (entry._tag === "Amiss") return findings.add(finding("store", entry.what))
    events++
    first ??= reached
    end = reached ?? end
    if (entry._tag === "Unreadable") return cannotRead(entry.place, entry.why, entry.position)
    const { event, oddity } = entry
    const position = formatPosition(event.position)
    const place = `the event at position ${position}`
    if (oddity !== undefined) findings.add(finding("other-bytes", `${place}: ${oddity}`, event.position))
    if (event.stream !== treeHeadStream) news++
    try {
      block = addLeaf(sha256, block, leafOf(sha256, { ...event, position }))
    } catch (cause) {
      // Nested so deeply that nobody can have written it.
      cannotRead(place, String(cause), event.position)
    }
  }

  /** What speaks against the block being what was signed; undefined when nothing does. */
  const fault = ({ checkpoint }: Expected): string | undefined => {
    const { chainHash, count, from, merkleRoot, number, position } = checkpoint
    const signed = count - block.from
    if (size() !== signed) return `${size()} events stand where ${signed} were when checkpoint ${number} was signed`
    const isSame = unreadable === 0 && toHex(block.chain) === chainHash
      && end !== undefined && formatPosition(end) === position
      // The tree of a block whose beginning nobody has told can't be had.
      && (block.from !== from || toHex(rootOf(sha256, block.tree)) === merkleRoot)
    if (isSame) return undefined
    return `${signed === 1 ? "it is not what" : "they are not those that"} checkpoint ${number} was signed over`
  }

  return {
    /** Finds out where an entry stands; `next` is the position of the one behind it. */
    place: (entry: LogEntry, next: Position | undefined): Placed => {
      const at = positionOf(entry)
      if (entry._tag === "Event") hint(...order.identify(entry.event))
      if (at === undefined) return { entry, reached: undefined }
      const { hints: found, isInOrder } = order.look(at, next)
      hint(...found)
      return { entry, reached: isInOrder ? at : undefined }
    },
    add,
    /** Ends the block where a checkpoint says that it ended. */
    close: (expected: Expected): void => {
      const { checkpoint: { chainHash, count, from, position }, isTrusted } = expected
      const why = fault(expected)
      const signedEnd = parsePosition(position) ?? order.last()
      if (why !== undefined) {
        // Of a block in which some are missing, or can't be read, the first may be one of them.
        const isShort = first === undefined || block.tree.size < count - block.from
        const where = isShort
          ? `behind position ${formatPosition(start)}`
          : `position ${formatPosition(first ?? start)}`
        const last = `event ${count} (position ${position})`
        const place = count === from + 1 ? last : `between event ${from + 1} (${where}) and ${last}`
        findings.add(finding("changed", `${place}: ${why}`, isShort ? start : first, signedEnd), ...hints)
      }
      begin(count, why !== undefined && isTrusted ? fromHex(chainHash) : block.chain, signedEnd)
    },
    /** Where the log has got to. */
    at: order.last,
    events: () => events,
    /** Events of the block that is open, which nothing covers, but for checkpoints. */
    uncovered: () => news,
    /** Events up to here, by what was signed. */
    counted: () => block.from + size(),
    /** What there is to say of the block that is open. */
    hints: (): ReadonlyArray<Finding> => hints
  }
}
