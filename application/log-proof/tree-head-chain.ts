import type { NewEvent, RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Sha256 } from "../../domain/log-proof/merkle.ts"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"
import { digestOf, readTreeHead, type TreeHead } from "../../domain/log-proof/tree-head.ts"
import type { Identifiers } from "../../ports/identifiers.ts"

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
