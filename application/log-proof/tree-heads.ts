import { Data, Effect } from "effect"
import type { Checkpoint } from "../../domain/log-proof/tree-head.ts"
import { checkpointOf, checkpointStream } from "./tree-head-event.ts"
import { isBefore, parsePosition, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"

/** An event of the stream of checkpoints is none; `message` says which. */
export class CheckpointUnreadable extends Data.TaggedError("CheckpointUnreadable")<{ readonly message: string }> {}

type Reading<A> = Effect.Effect<A, EventStoreError | CheckpointUnreadable, EventStore>

/** A checkpoint by its number; undefined when there is none yet. */
export const checkpointNumbered = Effect.fnUntraced(function* (number: number) {
  const store = yield* EventStore
  const [event] = yield* store.readStream(checkpointStream, { from: number - 1, limit: 1 })
  if (event === undefined) return undefined
  const checkpoint = checkpointOf(event)
  if (checkpoint?.number === number) return checkpoint
  const message = `event ${number - 1} of ${checkpointStream} is not checkpoint ${number}: see sliptrail trail verify`
  return yield* new CheckpointUnreadable({ message })
})

/**
 * The first checkpoint that a condition holds of, which must hold of all behind it; undefined when it holds of none.
 * Takes a few dozen reads, however many there are.
 */
const firstOf = Effect.fnUntraced(function* (holds: (checkpoint: Checkpoint) => boolean) {
  let [below, step] = [0, 1]
  let found: Checkpoint | undefined
  /** The number at which there is one that it holds of, or none at all. */
  let above = 1
  while (true) {
    const checkpoint = yield* checkpointNumbered(above)
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
    const checkpoint = yield* checkpointNumbered(middle)
    if (checkpoint === undefined || holds(checkpoint)) [above, found] = [middle, checkpoint]
    else below = middle
  }
  return { found, before: below }
})

/** The newest checkpoint; undefined when there is none yet. */
export const lastCheckpoint: Reading<Checkpoint | undefined> = Effect.flatMap(
  firstOf(() => false),
  ({ before }) => before === 0 ? Effect.undefined : checkpointNumbered(before)
)

/** The checkpoint that covers the event at a position, with the one before; undefined when none does yet. */
export const checkpointOver = Effect.fnUntraced(function* (position: Position) {
  const isOver = ({ position: end }: Checkpoint) => !isBefore(parsePosition(end) ?? position, position)
  const { before, found } = yield* firstOf(isOver)
  if (found === undefined) return undefined
  return { checkpoint: found, previous: before === 0 ? undefined : yield* checkpointNumbered(before) }
})
