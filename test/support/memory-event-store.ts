import { Clock, Effect, Layer, Stream } from "effect"
import { beginning, type NewEvent, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"

/** A log in memory that keeps every promise of the port but durability. The first event has the position 1/1. */
export const layerEventStoreMemory: Layer.Layer<EventStore> = Layer.sync(EventStore, () => {
  const log: Array<RecordedEvent> = []
  const streams = new Map<string, Array<RecordedEvent>>()
  const byId = new Map<string, RecordedEvent>()
  const waiting = new Set<() => boolean>()

  const head = (): Position => log.at(-1)?.position ?? beginning

  const page = (after: Position, limit: number) => {
    const start = Number(after.prepare < after.commit ? after.commit - 1n : after.commit)
    return log.slice(start, start + limit)
  }

  const pageOnceThere = (after: Position) =>
    Effect.callback<ReadonlyArray<RecordedEvent>>((resume) => {
      const look = () => {
        const events = page(after, pageSize)
        if (events.length > 0) resume(Effect.succeed(events))
        return events.length > 0
      }
      if (look()) return
      waiting.add(look)
      return Effect.sync(() => waiting.delete(look))
    })

  const append = Effect.fnUntraced(function* (
    stream: string,
    expected: "no-stream" | number,
    events: ReadonlyArray<NewEvent>
  ) {
    const recordedAt = yield* Clock.currentTimeMillis
    const recorded = streams.get(stream) ?? []
    const last = expected === "no-stream" ? -1 : expected
    const known = events.map((event) => byId.get(event.id))
    if (known.some((event) => event !== undefined) || new Set(events.map(({ id }) => id)).size < events.length) {
      const isRepeat = events.every((_, index) => isAt(known[index], stream, last + 1 + index))
      const end = known.at(-1)
      if (isRepeat && end !== undefined) return { revision: end.revision, position: end.position }
      return yield* new EventStoreError({ operation: "append", reason: "event-id-reused" })
    }
    if (last !== recorded.length - 1) {
      const actual = recorded.length === 0 ? "no-stream" : recorded.length - 1
      return yield* new WrongExpectedRevision({ stream, expected, actual })
    }
    for (const event of events) {
      const place = BigInt(log.length + 1)
      const position = { commit: place, prepare: place }
      const entry = { ...event, stream, revision: recorded.length, position, recordedAt }
      log.push(entry)
      recorded.push(entry)
      byId.set(event.id, entry)
    }
    if (recorded.length > 0) streams.set(stream, recorded)
    for (const look of Array.from(waiting)) if (look()) waiting.delete(look)
    return { revision: recorded.length - 1, position: recorded.at(-1)?.position ?? head() }
  })

  return EventStore.of({
    append,
    readStream: (stream, { from = 0, limit = Infinity } = {}) =>
      Effect.sync(() => (streams.get(stream) ?? []).slice(from, from + limit)),
    readAll: ({ after, limit }) => Effect.sync(() => page(after, limit)),
    head: Effect.sync(head),
    subscribe: ({ after }) =>
      Stream.unfold(
        after,
        (from) => Effect.map(pageOnceThere(from), (events) => [events, events.at(-1)?.position ?? from] as const)
      )
  })
})

const pageSize = 256

/** The id alone says that an event is the same one: a command that is run again may find other content. */
const isAt = (known: RecordedEvent | undefined, stream: string, revision: number): boolean =>
  known?.stream === stream && known.revision === revision
