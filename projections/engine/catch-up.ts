import { Effect } from "effect"
import { isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { EventStoreError } from "../../ports/event-store.ts"
import type { Write } from "../../ports/read-models.ts"
import { type PoisonEvent, projectAll } from "./batch.ts"
import { type Condition, makeCondition } from "./condition.ts"
import { catchUpPageSize, type Feed } from "./feed.ts"
import type { Projection } from "./projection.ts"
import type { Reader } from "./shared-pages.ts"

/** The order in which projections of a process catch up: those that requests wait for come first. */
export interface Turns {
  readonly changed: Condition
  /** Projections that requests wait for, and that are far behind. */
  readonly first: Set<Projection>
}

export const makeTurns = (): Turns => ({ changed: makeCondition(), first: new Set() })

/** Runs what brings a projection forward that requests wait for. The other projections do not catch up meanwhile. */
export const inFront = <A, E, R>(turns: Turns, projection: Projection, run: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    turns.first.add(projection)
    return Effect.ensuring(run, Effect.sync(() => leaveFront(turns, projection)))
  })

/** Waits until no projection that requests wait for is far behind. */
export const awaitFront = ({ changed, first }: Turns) => changed.await(() => first.size === 0)

const leaveFront = (turns: Turns, projection: Projection) => {
  if (turns.first.delete(projection)) turns.changed.notifyAll()
}

/** The writes of many events. */
export interface Collected {
  readonly writes: ReadonlyArray<Write>
  /** The number of events that the projection handles. */
  readonly handled: number
  readonly upTo: Position
  /** The log ends here, or the projection throws on the next event. */
  readonly isLast: boolean
  readonly poison: PoisonEvent | undefined
}

export interface Collect<E> {
  readonly projection: Projection
  /** Pages of `catchUpPageSize` events; a shorter one is the last. */
  readonly pages: {
    readonly after: (position: Position, reader: Reader) => Effect.Effect<ReadonlyArray<RecordedEvent>, E>
  }
  /** A batch has at least this many writes, unless the log ends. */
  readonly batchWrites: number
}

/** Projects the pages after a position until their writes fill a batch. `page` is the first of them if it was read. */
export const collect = Effect.fnUntraced(function* <E>(
  { batchWrites, pages, projection }: Collect<E>,
  from: Position,
  page?: ReadonlyArray<RecordedEvent>
) {
  const writes: Array<Write> = []
  let upTo = from
  let handled = 0
  let events = page ?? (yield* pages.after(upTo, projection))
  for (let read = 0;;) {
    const projected = projectAll(projection, events)
    for (const write of projected.writes) writes.push(write)
    handled += projected.handled
    upTo = projected.upTo ?? upTo
    read += events.length
    const isLast = projected.poison !== undefined || events.length < catchUpPageSize
    if (isLast || writes.length >= batchWrites || read >= MAX_EVENTS) {
      const { poison } = projected
      return { writes, handled, upTo, isLast, poison } satisfies Collected
    }
    // Embedded engines work synchronously: without this, catching up would block the process.
    yield* Effect.yieldNow
    events = yield* pages.after(upTo, projection)
  }
})

/** Without writes, the checkpoint is moved after this many events. */
const MAX_EVENTS = 20_000

export interface CatchUp<E> extends Collect<EventStoreError> {
  readonly pages: Pick<Feed, "after" | "leave">
  readonly turns: Turns
  /** Applies a batch; false when the model then has another checkpoint than the batch. */
  readonly apply: (after: Position, batch: Collected) => Effect.Effect<boolean, E>
}

/**
 * Projects full pages of older events in large batches, until the end of the log is near or a batch takes no effect. The
 * next batch is read while the engine applies the last one. `after` is the model's checkpoint, `at` the position of the
 * first page. Fails with the poison event when it is the next one.
 */
export const catchUp = <E>(
  { apply, ...options }: CatchUp<E>,
  after: Position,
  at: Position,
  page: ReadonlyArray<RecordedEvent>
): Effect.Effect<void, E | EventStoreError | PoisonEvent> => {
  const { pages, projection, turns } = options
  const leave = Effect.sync(() => {
    pages.leave(projection)
    leaveFront(turns, projection)
  })
  const awaitTurn = Effect.suspend(() => {
    if (projection.isFirst === true) {
      turns.first.add(projection)
      return Effect.void
    }
    if (turns.first.size === 0) return Effect.void
    pages.leave(projection)
    return awaitFront(turns)
  })

  return Effect.gen(function* () {
    yield* awaitTurn
    let saved = after
    let batch = yield* collect(options, at, page)
    while (isBefore(saved, batch.upTo)) {
      const { isLast, upTo } = batch
      const [tookEffect, next] = yield* Effect.all([
        apply(saved, batch),
        isLast ? Effect.undefined : Effect.andThen(awaitTurn, collect(options, upTo))
      ], { concurrency: 2 })
      if (!tookEffect || next === undefined) return
      saved = upTo
      batch = next
    }
    // Nothing is in front of the poison event any more.
    if (batch.poison !== undefined) return yield* batch.poison
  }).pipe(Effect.ensuring(leave))
}
