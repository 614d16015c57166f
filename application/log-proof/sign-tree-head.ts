import { Clock, Effect } from "effect"
import type { Block } from "../../domain/log-proof/chain.ts"
import { type TreeHead, closeBlock, signedText } from "../../domain/log-proof/tree-head.ts"
import { isoTime } from "../../domain/time.ts"
import { treeHeadEvent, treeHeadStream } from "./tree-head-event.ts"
import { formatPosition, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Hashing, Notary } from "../../ports/notary.ts"

/**
 * Signs a block that ends at a position, and appends that behind the checkpoint before. Fails with
 * `WrongExpectedRevision` when another process was first: the chain never forks.
 */
export const signTreeHead = Effect.fnUntraced(function* (
  block: Block,
  position: Position,
  previous: TreeHead | undefined
) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  const { keyId, sign } = yield* Notary
  const at = isoTime(yield* Clock.currentTimeMillis)
  const unsigned = closeBlock(sha256, block, { at, keyId, position: formatPosition(position), previous })
  const checkpoint: TreeHead = { ...unsigned, signature: sign(signedText(unsigned)) }
  const event = treeHeadEvent(sha256, yield* Identifiers, checkpoint)
  yield* store.append(treeHeadStream, previous === undefined ? "no-stream" : previous.number - 1, [event])
  return checkpoint
})
