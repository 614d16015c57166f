import { Effect, Option, Stream } from "effect"
import {
  beginning,
  formatPosition,
  isBefore,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../ports/log-source.ts"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"

const PAGE = 500

/**
 * The log of an event store for verification, up to its current end. It ends with an error at an event that the store
 * cannot read, because the position of the next event is unknown.
 */
export const storeLog = Effect.gen(function* () {
  const store = yield* EventStore
  const head = yield* Effect.mapError(store.head, toSourceError)
  const isWithin = ({ position }: RecordedEvent) => !isBefore(head, position)

  const nextPage = Effect.fnUntraced(function* (after: Position, limit: number): Effect.fn.Return<
    readonly [ReadonlyArray<ReadonlyArray<LogEntry>>, Option.Option<Position>],
    LogSourceError
  > {
    const read = yield* Effect.result(store.readAll({ after, limit }))
    if (read._tag === "Success") {
      const events = read.success.filter(isWithin)
      const last = events.at(-1)?.position
      const isLast = last === undefined || events.length < limit
      return [last === undefined ? [] : [events.map(entryOf)], isLast ? Option.none() : Option.some(last)] as const
    }
    if (read.failure.reason !== "corrupt") return yield* toSourceError(read.failure)
    // Halves the page until it holds only the unreadable event.
    if (limit > 1) return yield* nextPage(after, Math.ceil(limit / 2))
    return yield* new LogSourceError({
      isDamaged: true,
      message: `the event after position ${formatPosition(after)} cannot be read: ${reasonOf(read.failure)}`
    })
  })

  const treeHeads = Stream.paginate(
    0,
    (from) =>
      Effect.map(Effect.mapError(store.readStream(treeHeadStream, { from, limit: PAGE }), toSourceError), (events) =>
        [
          events.filter(isWithin).map(entryOf),
          events.length < PAGE ? Option.none<number>() : Option.some(from + PAGE)
        ] as const)
  )

  return { events: Stream.paginate(beginning, (after) => nextPage(after, PAGE)), treeHeads } satisfies LogSource
})

const entryOf = (event: RecordedEvent): LogEntry => ({ _tag: "Event", event })

const reasonOf = ({ cause, operation, reason }: EventStoreError): string =>
  cause instanceof Error ? cause.message : `${operation}: ${reason}`

const toSourceError = (error: EventStoreError) =>
  new LogSourceError({
    isDamaged: error.reason === "corrupt",
    message: `the event store cannot be read: ${reasonOf(error)}`
  })
