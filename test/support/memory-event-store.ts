import { Clock, Effect, Layer, Stream } from "effect"
import { beginning, type NewEvent, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, WrongExpectedRevision } from "../../ports/event-store.ts"

/** A log in memory that fulfils the port except for durability. The first event has the position 1/1. */
export const layerEventStoreMemory: Layer.Layer<EventStore> = Layer.sync(EventStore, () => {
  const log: Array<RecordedEvent> = []
  const streams = new Map<string, Array<RecordedEvent>>()
  const waiting = new Set<() => boolean>()

  const head = (): Position => log.at(-1)?.position ?? beginning

  const page = (after: Position, limit: number) => {
    const start = Number(after.prepare < after.commit ? after.commit - 1n : after.commit)
    return log.slice(start, start + limit)
  }

  const awaitPage = (after: Position) =>
    Effect.callback<ReadonlyArray<RecordedEvent>>((resume) => {
      const tryRead = () => {
        const events = page(after, pageSize)
        if (events.length > 0) resume(Effect.succeed(events))
        return events.length > 0
      }
      if (tryRead()) return
      waiting.add(tryRead)
      return Effect.sync(() => waiting.delete(tryRead))
    })

  const append = Effect.fnUntraced(function* (
    stream: string,
    expected: "no-stream" | number,
    events: ReadonlyArray<NewEvent>
  ) {
    const recordedAt = yield* Clock.currentTimeMillis
    const recorded = streams.get(stream) ?? []
    const last = expected === "no-stream" ? -1 : expected
    if (last !== recorded.length - 1) {
      const end = recorded[last + events.length]
      if (end !== undefined && events.every(({ id }, index) => recorded[last + 1 + index]?.id === id)) {
        return { revision: end.revision, position: end.position }
      }
      const actual = recorded.length === 0 ? "no-stream" : recorded.length - 1
      return yield* new WrongExpectedRevision({ stream, expected, actual })
    }
    for (const event of events) {
      const number = BigInt(log.length + 1)
      const position = { commit: number, prepare: number }
      const entry = { ...event, stream, revision: recorded.length, position, recordedAt }
      log.push(entry)
      recorded.push(entry)
    }
    if (recorded.length > 0) streams.set(stream, recorded)
    for (const tryRead of Array.from(waiting)) if (tryRead()) waiting.delete(tryRead)
    return { revision: recorded.length - 1, position: recorded.at(-1)?.position ?? head() }
  })

  return EventStore.of({
    append,
    writable: Effect.void,
    readStream: (stream, { from = 0, limit = Infinity } = {}) =>
      Effect.sync(() => (streams.get(stream) ?? []).slice(from, from + limit)),
    readAll: ({ after, limit }) => Effect.sync(() => page(after, limit)),
    head: Effect.sync(head),
    subscribe: ({ after }) =>
      Stream.unfold(
        after,
        (from) => Effect.map(awaitPage(from), (events) => [events, events.at(-1)?.position ?? from] as const)
      )
  })
})

const pageSize = 256
