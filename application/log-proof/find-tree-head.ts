import { Data, Effect } from "effect"
import { isBefore, parsePosition, type Position } from "../../domain/events/recorded-event.ts"
import type { TreeHead } from "../../domain/log-proof/tree-head.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { treeHeadOf } from "./tree-head-chain.ts"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"

/** An event in the stream of tree heads is not the expected tree head; `message` names the event. */
export class TreeHeadUnreadable extends Data.TaggedError("TreeHeadUnreadable")<{ readonly message: string }> {}

/** A tree head by its number; undefined when the log has none yet. */
export const treeHeadByNumber = Effect.fnUntraced(function* (number: number) {
  const store = yield* EventStore
  const [event] = yield* store.readStream(treeHeadStream, { from: number - 1, limit: 1 })
  if (event === undefined) return undefined
  const treeHead = treeHeadOf(event)
  if (treeHead?.number === number) return treeHead
  const message = `event ${number - 1} of ${treeHeadStream} is not tree head ${number}: see sliptrail trail verify`
  return yield* new TreeHeadUnreadable({ message })
})

/**
 * Finds the first tree head that meets a condition. All later tree heads must meet it too. `found` is undefined when
 * there is none, and `before` is the number before it. Doubles the step, then bisects: a few dozen reads at any length.
 */
const findFirst = Effect.fnUntraced(function* (meets: (treeHead: TreeHead) => boolean) {
  let [below, step] = [0, 1]
  let found: TreeHead | undefined
  /** A number without a tree head, or whose tree head meets the condition. */
  let above = 1
  while (true) {
    const treeHead = yield* treeHeadByNumber(above)
    if (treeHead === undefined || meets(treeHead)) {
      found = treeHead
      break
    }
    below = above
    step *= 2
    above = below + step
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    const treeHead = yield* treeHeadByNumber(middle)
    if (treeHead === undefined || meets(treeHead)) [above, found] = [middle, treeHead]
    else below = middle
  }
  return { found, before: below }
})

/** The newest tree head; undefined when the log has none yet. */
export const lastTreeHead: Effect.Effect<TreeHead | undefined, EventStoreError | TreeHeadUnreadable, EventStore> =
  Effect.flatMap(findFirst(() => false), ({ before }) => before === 0 ? Effect.undefined : treeHeadByNumber(before))

/** The tree head that covers a position, with the previous one; undefined when none covers it yet. */
export const treeHeadCovering = Effect.fnUntraced(function* (position: Position) {
  const { before, found } = yield* findFirst(({ position: end }) => !isBefore(parsePosition(end) ?? position, position))
  if (found === undefined) return undefined
  return { treeHead: found, previous: before === 0 ? undefined : yield* treeHeadByNumber(before) }
})
