import { Cache, Duration, Effect, Stream } from "effect"
import { makeCondition } from "./condition.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"

/** Most events that are read and handed on at once. */
export const pageSize = 128

/**
 * The log for several readers that mostly stand at the same place: what one of them has read is there for the others,
 * and new events come through one subscription. A reader that is behind reads by itself at its own pace, and nobody
 * waits for it.
 */
export interface Feed {
  /** Where the log ended when it was last heard of; `beginning` before that. */
  readonly head: () => Position
  /** Whether the log was heard of at all. */
  readonly isHeard: () => boolean
  /** The next events behind a position, without a gap, at most `pageSize`. */
  readonly after: (position: Position) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** Returns once the log is known to go on behind a position. */
  readonly moved: (position: Position) => Effect.Effect<void>
  /** Follows the log, from where it was left the last time; never ends but by an error. One may run at a time. */
  readonly follow: Effect.Effect<void, EventStoreError>
}

export const makeFeed: Effect.Effect<Feed, never, EventStore> = Effect.gen(function* () {
  const store = yield* EventStore
  let followed: Position | undefined
  const head = () => followed ?? beginning
  const bell = makeCondition()

  const advance = (to: Position) => {
    followed = to
    bell.ring()
  }

  // By the position that a page begins behind. An empty page is not kept: the log may go on at any moment.
  const pages = yield* Cache.makeWith(
    (after: string) => store.readAll({ after: parsePosition(after) ?? beginning, limit: pageSize }),
    {
      capacity: pagesKept,
      timeToLive: (exit) => exit._tag === "Success" && exit.value.length > 0 ? Duration.infinity : Duration.zero
    }
  )

  const keep = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>) {
    for (let start = 0; start < events.length; start += pageSize) {
      const page = events.slice(start, start + pageSize)
      yield* Cache.set(pages, formatPosition(head()), page)
      advance(page.at(-1)?.position ?? head())
    }
  })

  return {
    head,
    isHeard: () => followed !== undefined,
    after: (position) => Cache.get(pages, formatPosition(position)),
    moved: (position) => bell.until(() => isBefore(position, head())),
    follow: Effect.gen(function* () {
      // The first time there is nothing to go on from: what stands in the log by now is read by those who need it.
      if (followed === undefined) advance(yield* store.head)
      yield* Stream.runForEach(store.subscribe({ after: head() }), keep)
    })
  }
})

/** At a kilobyte an event some 8 MB. */
const pagesKept = 64
