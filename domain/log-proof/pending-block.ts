import {
  beginning,
  formatPosition,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../events/recorded-event.ts"
import { fromHex } from "../hex.ts"
import type { Sha256 } from "./merkle.ts"
import { addLeaf, beginBlock, type Block, leafOf, noChain, type TreeHead } from "./tree-head.ts"

/** The stream of signed tree heads. The tree head with number n has revision n - 1. */
export const treeHeadStream = "chain-checkpoints"

/** The events after the newest tree head. The next tree head will cover them. */
export interface Pending {
  /** The newest tree head; undefined before the first. */
  readonly last: TreeHead | undefined
  readonly block: Block
  /** Position of the last event of the block. */
  readonly end: Position
  /** When the next tree head is due, in milliseconds since 1970; undefined while all events are tree heads. */
  readonly dueAt: number | undefined
}

export const pendingAfter = (last: TreeHead | undefined): Pending => ({
  last,
  block: last === undefined ? beginBlock(0, noChain) : beginBlock(last.count, fromHex(last.chainHash)),
  end: parsePosition(last?.position ?? "") ?? beginning,
  dueAt: undefined
})

/** Adds the next event of the log. `dueAt` is used if this is the first event that is not a tree head. */
export const addEvent = (
  sha256: Sha256,
  pending: Pending,
  event: RecordedEvent,
  dueAt: number
): Pending => ({
  last: pending.last,
  block: addLeaf(sha256, pending.block, leafOf(sha256, { ...event, position: formatPosition(event.position) })),
  end: event.position,
  dueAt: event.stream === treeHeadStream ? pending.dueAt : pending.dueAt ?? dueAt
})

/** Whether at least `events` events are pending and not all of them are tree heads. */
export const isFull = ({ block, dueAt }: Pending, events: number): boolean =>
  block.tree.size >= events && dueAt !== undefined

/** When a block with new events is signed. */
export interface SigningDue {
  /** Events that fill a block. */
  readonly events: number
  /** When it is due if it begins now, in milliseconds since 1970. */
  readonly dueAt: number
}

/** Adds the next events of the log, until the block is full. */
export const addEvents = (
  sha256: Sha256,
  pending: Pending,
  events: ReadonlyArray<RecordedEvent>,
  due: SigningDue
): Pending => {
  let extended = pending
  for (const event of events) {
    if (isFull(extended, due.events)) break
    extended = addEvent(sha256, extended, event, due.dueAt)
  }
  return extended
}
