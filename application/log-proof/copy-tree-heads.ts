import { Effect } from "effect"
import { type Checkpoint, checkpointLine } from "../../domain/log-proof/tree-head.ts"
import { checkpointOf, checkpointStream } from "./tree-head-event.ts"
import { CheckpointFile, CheckpointFileError } from "../../ports/tree-head-file.ts"
import { EventStore } from "../../ports/event-store.ts"
import { checkpointNumbered } from "./tree-heads.ts"

/** Checkpoints that are read and written at once. */
const PAGE = 500

/**
 * Writes every checkpoint that the log has into the file that has not got it: also what a crash kept from it, and all
 * of them into a new one. A file that knows of another log than this is left alone, as it is evidence.
 */
export const copyCheckpoints = Effect.gen(function* () {
  const store = yield* EventStore
  const file = yield* CheckpointFile
  const last = yield* file.last
  if (last !== undefined) yield* sameInLog(last)
  let from = last?.number ?? 0
  while (true) {
    const events = yield* store.readStream(checkpointStream, { from, limit: PAGE })
    const checkpoints = events.flatMap((event) => checkpointOf(event) ?? [])
    if (checkpoints.length > 0) yield* file.append(checkpoints)
    if (events.length < PAGE) return
    from += PAGE
  }
})

const sameInLog = Effect.fnUntraced(function* (last: Checkpoint) {
  const inLog = yield* checkpointNumbered(last.number)
  if (inLog !== undefined && checkpointLine(inLog) === checkpointLine(last)) return
  const what = inLog === undefined ? "the log has no checkpoint" : "the log has another checkpoint"
  return yield* new CheckpointFileError({
    message: `${what} ${last.number} than the file of checkpoints: was the log cut off, or restored from a backup? `
      + "See sliptrail trail verify. The file is left as it is; once it is moved away, a new one is begun"
  })
})
