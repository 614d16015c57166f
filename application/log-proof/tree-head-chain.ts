import { beginning, formatPosition, type NewEvent, parsePosition } from "../../domain/events/recorded-event.ts"
import type { Position, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { fromHex } from "../../domain/hex.ts"
import type { Sha256 } from "../../domain/log-proof/merkle.ts"
import {
  addLeaf,
  beginBlock,
  type Block,
  digestOf,
  leafOf,
  noChain,
  readTreeHead,
  type TreeHead
} from "../../domain/log-proof/tree-head.ts"
import type { Identifiers } from "../../ports/identifiers.ts"

/** The stream of signed tree heads. The tree head with number n has revision n - 1. */
export const treeHeadStream = "chain-checkpoints"

const TREE_HEAD_SIGNED = "CheckpointSigned"

/**
 * A tree head as an event. Every field is derived from the tree head. So a repeated append writes the same event, and a
 * verifier detects a changed field before the next tree head covers the event.
 */
export const treeHeadEvent = (
  sha256: Sha256,
  { derived }: Pick<Identifiers["Service"], "derived">,
  treeHead: TreeHead
): NewEvent => {
  const commandId = derived(`${treeHeadStream}/${digestOf(sha256, treeHead)}`)
  return {
    id: derived(`${treeHeadStream}/${commandId}/0`),
    type: TREE_HEAD_SIGNED,
    data: treeHead,
    metadata: {
      at: treeHead.at,
      correlationId: commandId,
      causationId: commandId,
      actor: { kind: "system", id: "notary" },
      schema: 1
    }
  }
}

/** The tree head in an event; undefined for any other event. */
export const treeHeadOf = ({ data, stream, type }: Pick<RecordedEvent, "data" | "stream" | "type">) =>
  stream === treeHeadStream && type === TREE_HEAD_SIGNED ? readTreeHead(data) : undefined

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
