import { Effect, Semaphore, Stream } from "effect"
import { makeCondition } from "./condition.ts"
import { beginning, isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { LogFollower } from "../../ports/log-follower.ts"
import { SoleWriter } from "../../ports/sole-writer.ts"
import { TraceContinuation } from "../../ports/tracing.ts"

/** Most events of one read near the end of the log. */
export const pageSize = 128

/** Most events of one read of older events. */
export const olderPageSize = 256

/**
 * Pages of older events in memory while a model is far behind, about 8 MB: some large batches. Models apply their batches
 * one after the other, and one without writes reads on.
 */
const OLDER_PAGES = 32

/**
 * The log for several readers. One subscription delivers new events to all of them, and the newest events stay in
 * memory. Readers that are further behind read from the store, and share the last pages that were read. While a thread reads
 * the log for the models (`LogFollower`), the feed follows its end only.
 */
export interface Feed {
  /** The last known end of the log; `beginning` before the first read. */
  readonly head: () => Position
  /** Whether the end of the log is known. */
  readonly isConnected: () => boolean
  /** The next events after a position, without a gap. */
  readonly after: (position: Position) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** Drops the older events that are in memory for several readers. */
  readonly dropOlder: () => void
  /** Waits until the last known end of the log is after a position. */
  readonly awaitEventAfter: (position: Position) => Effect.Effect<void>
  /** Follows the log from the last known end; ends only with an error. It must not run twice at a time. */
  readonly follow: Effect.Effect<void, EventStoreError>
}

export const makeFeed: Effect.Effect<Feed, never, EventStore> = Effect.gen(function* () {
  const store = yield* EventStore
  const soleWriter = yield* SoleWriter
  const follower = (yield* TraceContinuation) === undefined ? yield* LogFollower : undefined
  let followed: Position | undefined
  const head = () => followed ?? beginning
  const changed = makeCondition()
  /** Every event after `start` up to the head, in order. */
  let newest: Array<RecordedEvent> = []
  let start = beginning
  /** How many new events arrived since a reader came. */
  let unread = 0

  const advance = (to: Position) => {
    followed = to
    changed.notifyAll()
  }

  const addNewest = (events: ReadonlyArray<RecordedEvent>) => {
    newest.push(...events)
    unread += events.length
    if (unread > MAX_UNREAD) {
      start = events.at(-1)?.position ?? start
      newest = []
    } else if (newest.length > MAX_EVENTS) {
      const dropped = newest.length - MAX_EVENTS / 2
      start = newest[dropped - 1]?.position ?? start
      newest = newest.slice(dropped)
    }
    advance(events.at(-1)?.position ?? head())
  }

  /** Hot path: what a thread reads is not read and decoded here too. Guarded by `npm run bench -- http`. */
  const headOnly = () => follower?.isReady() === true ? soleWriter?.headAfter : undefined

  const skipTo = (to: Position) => {
    newest = []
    start = to
    advance(to)
  }

  const addUntilReadInThread = Effect.suspend(() =>
    store.subscribe({ after: head() }).pipe(
      Stream.tap((events) => Effect.sync(() => addNewest(events))),
      Stream.takeUntil(() => headOnly() !== undefined),
      Stream.runDrain
    )
  )

  const older = makeOlderPages((after) => store.readAll({ after, limit: olderPageSize }))

  const after = (position: Position) => {
    unread = 0
    if (isBefore(position, start)) return older.after(position)
    if (!isBefore(position, head())) return store.readAll({ after: position, limit: pageSize })
    const first = firstAfter(newest, position)
    return Effect.succeed(newest.slice(first, first + pageSize))
  }

  return {
    head,
    isConnected: () => followed !== undefined,
    after,
    dropOlder: older.drop,
    awaitEventAfter: (position) => changed.await(() => isBefore(position, head())),
    follow: Effect.gen(function* () {
      // The first subscription starts at the end of the log. Readers behind it read earlier events from the store.
      if (followed === undefined) {
        start = yield* store.head
        advance(start)
      }
      while (true) {
        const headAfter = headOnly()
        if (headAfter === undefined) yield* addUntilReadInThread
        else skipTo(yield* headAfter(head()))
      }
    })
  }
})

interface Page {
  readonly after: Position
  readonly events: ReadonlyArray<RecordedEvent>
}

/**
 * Reads pages of older events, one at a time, and keeps the last ones. Readers that are about as far behind as each other get
 * the rest of the same page. Hot path: the log is read and decoded once for all of them. Guarded by `npm run bench -- rebuild`.
 */
const makeOlderPages = <E>(read: (after: Position) => Effect.Effect<ReadonlyArray<RecordedEvent>, E>) => {
  const reading = Semaphore.makeUnsafe(1)
  let pages: ReadonlyArray<Page> = []
  const restAfter = (position: Position) => {
    for (const { after, events } of pages) {
      const first = isBefore(position, after) ? events.length : firstAfter(events, position)
      if (first < events.length) return events.slice(first)
    }
    return undefined
  }
  const readAfter = (after: Position) =>
    Effect.tap(read(after), (events) => Effect.sync(() => pages = [{ after, events }, ...pages].slice(0, OLDER_PAGES)))
  const after = (position: Position) =>
    Effect.suspend(() => {
      const known = restAfter(position)
      if (known !== undefined) return Effect.succeed(known)
      return reading.withPermits(1)(Effect.suspend(() => {
        const read = restAfter(position)
        return read === undefined ? readAfter(position) : Effect.succeed(read)
      }))
    })
  return {
    after,
    drop: () => {
      pages = []
    }
  }
}

/** Index of the first event after a position; events are in order. */
const firstAfter = (events: ReadonlyArray<RecordedEvent>, position: Position): number => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const event = events[middle]
    if (event !== undefined && isBefore(position, event.position)) high = middle
    else low = middle + 1
  }
  return low
}

/** About 8 MB, at one kilobyte an event. */
const MAX_EVENTS = 8_192

/**
 * Readers come for new events within some milliseconds. If none came for so many events, they read elsewhere: no event is
 * kept until one comes.
 */
const MAX_UNREAD = MAX_EVENTS / 2
