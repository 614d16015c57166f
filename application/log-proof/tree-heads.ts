import { Data, Effect } from "effect"
import type { TreeHead } from "../../domain/log-proof/tree-head.ts"
import { treeHeadOf, treeHeadStream } from "./tree-head-event.ts"
import { isBefore, parsePosition, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"

/** An event of the stream of checkpoints is none; `message` says which. */
export class TreeHeadUnreadable extends Data.TaggedError("TreeHeadUnreadable")<{ readonly message: string }> {}

type Reading<A> = Effect.Effect<A, EventStoreError | TreeHeadUnreadable, EventStore>

/** A checkpoint by its number; undefined when there is none yet. */
export const treeHeadNumbered = Effect.fnUntraced(function* (number: number) {
  const store = yield* EventStore
  const [event] = yield* store.readStream(treeHeadStream, { from: number - 1, limit: 1 })
  if (event === undefined) return undefined
  const checkpoint = treeHeadOf(event)
  if (checkpoint?.number === number) return checkpoint
  const message = `event ${number - 1} of ${treeHeadStream} is not checkpoint ${number}: see sliptrail trail verify`
  return yield* new TreeHeadUnreadable({ message })
})

/**
 * The first checkpoint that a condition holds of, which must hold of all behind it; undefined when it holds of none.
 * Takes a few dozen reads, however many there are.
 */
const firstOf = Effect.fnUntraced(function* (holds: (checkpoint: TreeHead) => boolean) {
  let [below, step] = [0, 1]
  let found: TreeHead | undefined
  /** The number at which there is one that it holds of, or none at all. */
  let above = 1
  while (true) {
    const checkpoint = yield* treeHeadNumbered(above)
    if (checkpoint === undefined || holds(checkpoint)) {
      found = checkpoint
      break
    }
    below = above
    step *= 2
    above = below + step
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    const checkpoint = yield* treeHeadNumbered(middle)
    if (checkpoint === undefined || holds(checkpoint)) [above, found] = [middle, checkpoint]
    else below = middle
  }
  return { found, before: below }
})

/** The newest checkpoint; undefined when there is none yet. */
export const lastTreeHead: Reading<TreeHead | undefined> = Effect.flatMap(
  firstOf(() => false),
  ({ before }) => before === 0 ? Effect.undefined : treeHeadNumbered(before)
)

/** The checkpoint that covers the event at a position, with the one before; undefined when none does yet. */
export const treeHeadCovering = Effect.fnUntraced(function* (position: Position) {
  const isOver = ({ position: end }: TreeHead) => !isBefore(parsePosition(end) ?? position, position)
  const { before, found } = yield* firstOf(isOver)
  if (found === undefined) return undefined
  return { checkpoint: found, previous: before === 0 ? undefined : yield* treeHeadNumbered(before) }
})
