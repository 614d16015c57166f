import { Clock, Effect, Semaphore } from "effect"
import { formatPosition, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { makeCondition } from "./condition.ts"

/** A reader of the log, by its identity. */
export type Reader = object

export interface SharedPages<E> {
  /** The page after a position. */
  readonly after: (position: Position, reader: Reader) => Effect.Effect<ReadonlyArray<RecordedEvent>, E>
  /** The reader takes no further page for now, so no other reader waits for it. */
  readonly leave: (reader: Reader) => void
}

interface Page {
  readonly after: string
  readonly events: ReadonlyArray<RecordedEvent>
}

/**
 * Reads pages of the log for readers that are behind. Readers at the same position share a page, so the log is read and
 * decoded once for all of them. A few pages stay in memory. A reader that is ahead waits for the slowest one before a
 * page is dropped, but not longer than `patienceMillis`: a reader that is held up must not stop the others.
 */
export const makeSharedPages = <E>(
  read: (after: Position) => Effect.Effect<ReadonlyArray<RecordedEvent>, E>
): SharedPages<E> => {
  const reading = Semaphore.makeUnsafe(1)
  const moved = makeCondition()
  /** Consecutive pages, the oldest first. */
  let pages: ReadonlyArray<Page> = []
  /** The position after the last page. */
  let end = ""
  /** The page that each reader took last. */
  const takenBy = new Map<Reader, Page>()
  let readAtMillis = -Infinity

  const take = (after: string, reader: Reader): Page | undefined => {
    const page = pages.find((page) => page.after === after)
    if (page === undefined) return undefined
    takenBy.set(reader, page)
    moved.notifyAll()
    return page
  }

  const leave = (reader: Reader) => {
    takenBy.delete(reader)
    if (takenBy.size === 0) pages = []
    moved.notifyAll()
  }

  const dropOldest = Effect.suspend(() => {
    const [oldest, ...others] = pages
    const isUnneeded = () => Array.from(takenBy.values()).every((page) => page !== oldest)
    return Effect.timeoutOption(moved.await(isUnneeded), patienceMillis).pipe(
      Effect.andThen(Effect.sync(() => {
        for (const [reader, page] of takenBy) if (page === oldest) takenBy.delete(reader)
        pages = others
      }))
    )
  })

  const readNext = Effect.fnUntraced(function* (after: Position, reader: Reader) {
    const from = formatPosition(after)
    const now = yield* Clock.currentTimeMillis
    // The reader asks for the next page, so it does not need the one that it took before.
    takenBy.delete(reader)
    if (from !== end) {
      // Other readers are at another position.
      if (takenBy.size > 0 && now - readAtMillis < patienceMillis) return yield* read(after)
      pages = []
      takenBy.clear()
    }
    readAtMillis = now
    if (pages.length >= pagesInMemory) yield* dropOldest
    const events = yield* read(after)
    const last = events.at(-1)
    if (last === undefined) return events
    const page = { after: from, events }
    pages = [...pages, page]
    end = formatPosition(last.position)
    takenBy.set(reader, page)
    return events
  })

  return {
    leave,
    after: (position, reader) =>
      Effect.suspend(() => {
        const from = formatPosition(position)
        const known = take(from, reader)
        if (known !== undefined) return Effect.succeed(known.events)
        return reading.withPermits(1)(Effect.suspend(() => {
          const read = take(from, reader)
          return read === undefined ? readNext(position, reader) : Effect.succeed(read.events)
        }))
      })
  }
}

const pagesInMemory = 8
const patienceMillis = 2_000
