import { Effect } from "effect"
import { type TreeHead, treeHeadLine } from "../../domain/log-proof/tree-head.ts"
import { treeHeadOf, treeHeadStream } from "./tree-head-event.ts"
import { TreeHeadFile, TreeHeadFileError } from "../../ports/tree-head-file.ts"
import { EventStore } from "../../ports/event-store.ts"
import { treeHeadNumbered } from "./tree-heads.ts"

/** Checkpoints that are read and written at once. */
const PAGE = 500

/**
 * Writes every checkpoint that the log has into the file that has not got it: also what a crash kept from it, and all
 * of them into a new one. A file that knows of another log than this is left alone, as it is evidence.
 */
export const copyTreeHeads = Effect.gen(function* () {
  const store = yield* EventStore
  const file = yield* TreeHeadFile
  const last = yield* file.last
  if (last !== undefined) yield* sameInLog(last)
  let from = last?.number ?? 0
  while (true) {
    const events = yield* store.readStream(treeHeadStream, { from, limit: PAGE })
    const checkpoints = events.flatMap((event) => treeHeadOf(event) ?? [])
    if (checkpoints.length > 0) yield* file.append(checkpoints)
    if (events.length < PAGE) return
    from += PAGE
  }
})

const sameInLog = Effect.fnUntraced(function* (last: TreeHead) {
  const inLog = yield* treeHeadNumbered(last.number)
  if (inLog !== undefined && treeHeadLine(inLog) === treeHeadLine(last)) return
  const what = inLog === undefined ? "the log has no checkpoint" : "the log has another checkpoint"
  return yield* new TreeHeadFileError({
    message: `${what} ${last.number} than the file of checkpoints: was the log cut off, or restored from a backup? `
      + "See sliptrail trail verify. The file is left as it is; once it is moved away, a new one is begun"
  })
})
