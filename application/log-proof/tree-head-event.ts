import { type TreeHead, digestOf, readTreeHead } from "../../domain/log-proof/tree-head.ts"
import type { Sha256 } from "../../domain/log-proof/sha256.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { NewEvent, RecordedEvent } from "../../domain/events/recorded-event.ts"

/** The stream of checkpoints: number n stands at revision n - 1. */
export const treeHeadStream = "chain-checkpoints"

const CHECKPOINT_SIGNED = "CheckpointSigned"

/**
 * A checkpoint as an event. All of it follows from the checkpoint, so that a repeated append is the same one, and that
 * whoever examines the log can tell it from an event that looks like it, also before the next checkpoint covers it.
 */
export const treeHeadEvent = (
  sha256: Sha256,
  { derived }: Pick<Identifiers["Service"], "derived">,
  checkpoint: TreeHead
): NewEvent => {
  const digest = digestOf(sha256, checkpoint)
  const commandId = derived(`${treeHeadStream}/${digest}`)
  return {
    id: derived(`${treeHeadStream}/${commandId}/0`),
    type: CHECKPOINT_SIGNED,
    data: checkpoint,
    metadata: {
      at: checkpoint.at,
      correlationId: commandId,
      causationId: commandId,
      actor: { kind: "system", id: "notary" },
      schema: 1
    }
  }
}

/** The checkpoint of an event; undefined when it is none. */
export const treeHeadOf = ({ data, stream, type }: Pick<RecordedEvent, "data" | "stream" | "type">) =>
  stream === treeHeadStream && type === CHECKPOINT_SIGNED ? readTreeHead(data) : undefined
