import { Effect, Stream } from "effect"
import { canonicalJson } from "../../../domain/log-proof/canonical.ts"
import type { TreeHead } from "../../../domain/log-proof/tree-head.ts"
import { treeHeadEvent, treeHeadOf } from "../tree-head-event.ts"
import { formatPosition, isBefore, parsePosition } from "../../../domain/events/recorded-event.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { LoggedEvent, LogSource } from "../../../ports/log-source.ts"
import { Hashing } from "../../../ports/notary.ts"
import { finding, type Findings } from "./findings.ts"

/**
 * The checkpoints of the log in their order. An event among them that is none, or not as it was appended, is found;
 * one that can't be read is found where all events are looked at.
 */
export const logTreeHeads = Effect.fnUntraced(function* (source: LogSource, findings: Findings) {
  const sha256 = yield* Hashing
  const identifiers = yield* Identifiers
  let last = 0

  /** Every field follows from the checkpoint, so that not one can be changed in an event that nothing covers yet. */
  const isAsAppended = ({ id, metadata, revision, type }: LoggedEvent, checkpoint: TreeHead): boolean => {
    const made = treeHeadEvent(sha256, identifiers, checkpoint)
    return revision === checkpoint.number - 1
      && canonicalJson([id, type, metadata]) === canonicalJson([made.id, made.type, made.metadata])
  }

  const judge = (event: LoggedEvent): TreeHead | undefined => {
    const { position } = event
    const say = (what: string) => {
      findings.add(finding("checkpoint", `the event at position ${formatPosition(position)} ${what}`, position))
    }
    const checkpoint = treeHeadOf(event)
    if (checkpoint === undefined) {
      say("stands among the checkpoints and is none")
    } else if (checkpoint.number <= last) {
      say(`is checkpoint ${checkpoint.number}, which stands behind checkpoint ${last}`)
    } else {
      last = checkpoint.number
      const end = parsePosition(checkpoint.position)
      if (!isAsAppended(event, checkpoint)) say(`is not as checkpoint ${last} was appended`)
      if (end === undefined || !isBefore(end, position)) say(`is checkpoint ${last}, and says that it covers itself`)
      return checkpoint
    }
    return undefined
  }

  return source.checkpoints.pipe(
    Stream.map((entry) => entry._tag === "Event" ? judge(entry.event) : undefined),
    Stream.filter((checkpoint) => checkpoint !== undefined)
  )
})
