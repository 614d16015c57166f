import { assert, layer } from "../support/it.ts"
import { Effect, Fiber, type Layer, Queue, Schema, Stream } from "effect"
import {
  beginning,
  isBefore,
  type JsonObject,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError, type WrongExpectedRevision } from "../../ports/event-store.ts"
import { newEvent, newEvents, newStream } from "./event-store-events.ts"
import { modelProperty } from "./event-store-model.ts"
import { runs } from "../support/runs.ts"

/**
 * What every adapter of the EventStore port must do. The log may be shared and may contain other events: every test
 * uses its own stream names, and relies only on the order of positions.
 */
export const eventStoreContract = (adapter: string, store: Layer.Layer<EventStore, unknown>): void =>
  layer.live(store)(`event store contract: ${adapter}`, (it) => {
    it.effect("reads an appended event back as it was given, in every way", function* () {
      const { append, head, readAll, readStream, subscribe, writable } = yield* EventStore
      const stream = newStream()
      const before = yield* head
      const event = newEvent({ name: "สมชาย ใจดี 🧾", amount: 150050, nested: { list: [1, null, "\u0000"] } })
      const appended = yield* append(stream, "no-stream", [event])
      const [read] = yield* readStream(stream)
      assert.isDefined(read)
      const { position, recordedAt, ...given } = read
      assert.deepStrictEqual(given, { ...event, stream, revision: 0 })
      assert.deepStrictEqual(position, appended.position)
      assert.isTrue(Number.isSafeInteger(recordedAt) && recordedAt > 0)
      const own = (page: ReadonlyArray<RecordedEvent>) => page.filter((event) => event.stream === stream)
      yield* append(stream, 0, newEvents(1))
      const all = yield* readStream(stream)
      assert.deepStrictEqual(own(yield* readAll({ after: before, limit: 100 })), all)
      const subscribed = Stream.flattenIterable(Stream.map(subscribe({ after: before }), own))
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(subscribed, 2)), all)
      yield* writable
    })

    it.effect.prop(
      "keeps any JSON value",
      { data: Schema.Record(Schema.String, Schema.Json) },
      ({ data }) =>
        Effect.gen(function* () {
          const { append, readStream } = yield* EventStore
          const stream = newStream()
          // A round trip through JSON removes -0 and undefined, which JSON does not have.
          const given = JSON.parse(JSON.stringify(data)) as JsonObject
          yield* append(stream, "no-stream", [newEvent(given)])
          const [read] = yield* readStream(stream)
          assert.deepStrictEqual(read?.data, given)
        }),
      { arbitrary: { runs: runs(25) } }
    )

    it.effect("gives the events of an append consecutive revisions and ascending positions", function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      const first = yield* append(stream, "no-stream", newEvents(3))
      const second = yield* append(stream, 2, newEvents(2))
      const read = yield* readStream(stream)
      assert.deepStrictEqual(read.map(({ revision }) => revision), [0, 1, 2, 3, 4])
      assertAscending(read)
      assert.deepStrictEqual([first.revision, second.revision], [2, 4])
      assert.deepStrictEqual([read[2]?.position, read[4]?.position], [first.position, second.position])
    })

    it.effect("refuses any revision except that of the last event, returns the actual one, and appends nothing", function* () {
      const { append, readStream } = yield* EventStore
      const [missing, stream] = [newStream(), newStream()]
      yield* append(stream, "no-stream", newEvents(2))
      const refused = (name: string, expected: "no-stream" | number) =>
        Effect.map(Effect.flip(append(name, expected, newEvents(2))), actualOf)
      assert.strictEqual(yield* refused(missing, 0), "no-stream")
      assert.strictEqual(yield* refused(stream, "no-stream"), 1)
      assert.strictEqual(yield* refused(stream, 0), 1)
      assert.strictEqual(yield* refused(stream, 2), 1)
      assert.lengthOf(yield* readStream(missing), 0)
      assert.lengthOf(yield* readStream(stream), 2)
    })

    it.effect("accepts exactly one of many concurrent appends at a revision", function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      for (const expected of ["no-stream", 1, 3] as const) {
        const attempts = Array.from({ length: 20 }, () => Effect.result(append(stream, expected, newEvents(2))))
        const results = yield* Effect.all(attempts, { concurrency: "unbounded" })
        assert.lengthOf(results.filter(({ _tag }) => _tag === "Success"), 1)
      }
      assert.lengthOf(yield* readStream(stream), 6)
    })

    it.effect("returns the first result to a repeated append and changes nothing, also after later appends", function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      const [one, two] = [newEvents(2), newEvents(1)]
      const first = yield* append(stream, "no-stream", one)
      assert.deepStrictEqual(yield* append(stream, "no-stream", one), first)
      const second = yield* append(stream, 1, two)
      yield* append(stream, 2, newEvents(1))
      assert.deepStrictEqual(yield* append(stream, "no-stream", one), first)
      assert.deepStrictEqual(yield* append(stream, 1, two), second)
      assert.lengthOf(yield* readStream(stream), 4)
    })

    it.effect("gives concurrent equal appends the same answer and appends once", function* () {
      const { append, readStream } = yield* EventStore
      const [created, continued] = [newStream(), newStream()]
      yield* append(continued, "no-stream", newEvents(1))
      const appendThrice = Effect.fnUntraced(function* (stream: string, expected: "no-stream" | number) {
        const attempt = append(stream, expected, newEvents(2))
        const [first, ...others] = yield* Effect.all([attempt, attempt, attempt], { concurrency: "unbounded" })
        assert.deepStrictEqual(others, [first, first])
      })
      yield* Effect.all([appendThrice(created, "no-stream"), appendThrice(continued, 0)], { concurrency: 2 })
      assert.deepStrictEqual([(yield* readStream(created)).length, (yield* readStream(continued)).length], [2, 3])
    })

    it.effect("does not accept an append as repeated when only a part of it is in the log", function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      const [event] = newEvents(1)
      assert.isDefined(event)
      yield* append(stream, "no-stream", [event])
      const error = yield* Effect.flip(append(stream, "no-stream", [event, ...newEvents(1)]))
      assert.include(["WrongExpectedRevision", "EventStoreError"], error._tag)
      assert.lengthOf(yield* readStream(stream), 1)
    })

    it.effect("reads a stream from a revision, up to the limit", function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      yield* append(stream, "no-stream", newEvents(5))
      const revisions = (options?: { readonly from?: number; readonly limit?: number }) =>
        Effect.map(readStream(stream, options), (events) => events.map(({ revision }) => revision))
      assert.deepStrictEqual(yield* revisions(), [0, 1, 2, 3, 4])
      assert.deepStrictEqual(yield* revisions({ from: 3 }), [3, 4])
      assert.deepStrictEqual(yield* revisions({ limit: 2 }), [0, 1])
      assert.deepStrictEqual(yield* revisions({ from: 1, limit: 2 }), [1, 2])
      assert.deepStrictEqual(yield* revisions({ from: 5 }), [])
      assert.deepStrictEqual(yield* readStream(newStream()), [])
    })

    it.effect("reads after a position in the global order, page by page, without that position", function* () {
      const { append, head, readAll } = yield* EventStore
      const before = yield* head
      const streams = [newStream(), newStream()]
      for (const stream of streams) yield* append(stream, "no-stream", newEvents(3))
      const read: Array<RecordedEvent> = []
      let after = before
      while (read.length < 6) {
        const page = yield* readAll({ after, limit: 4 })
        assert.isTrue(page.length > 0 && page.length <= 4)
        read.push(...page.filter(({ stream }) => streams.includes(stream)))
        after = page.at(-1)?.position ?? after
      }
      assertAscending(read)
      assert.isTrue(read.every(({ position }) => isBefore(before, position)))
      assert.deepStrictEqual(read.map(({ stream }) => streams.indexOf(stream)), [0, 0, 0, 1, 1, 1])
      const [second] = yield* readAll({ after: read[0]?.position ?? beginning, limit: 1 })
      assert.isTrue(second !== undefined && isBefore(read[0]?.position ?? beginning, second.position))
    })

    it.effect("has its head at or after every appended event, and no event after the head", function* () {
      const { append, head, readAll } = yield* EventStore
      const stream = newStream()
      const { position } = yield* append(stream, "no-stream", newEvents(2))
      const at = yield* head
      assert.isFalse(isBefore(at, position))
      assert.isTrue(isBefore(beginning, at))
      const later = yield* readAll({ after: at, limit: 10 })
      assert.isFalse(later.some((event) => event.stream === stream))
    })

    it.effect("subscribes to existing events and then to new ones, without the start position", function* () {
      const store = yield* EventStore
      const stream = newStream()
      const [given, awaited] = [newEvents(3), newEvents(2)]
      const { position } = yield* store.append(stream, "no-stream", given.slice(0, 1))
      yield* store.append(stream, 0, given.slice(1))
      const seen = yield* subscribed(store, position, [stream])
      assert.deepStrictEqual(yield* Queue.takeN(seen, 2), given.slice(1).map(({ id }) => id))
      yield* store.append(stream, 2, awaited)
      assert.deepStrictEqual(yield* Queue.takeN(seen, 2), awaited.map(({ id }) => id))
    })

    it.effect("sends every event to every subscriber once and in order during appends", function* () {
      const store = yield* EventStore
      const before = yield* store.head
      const streams = Array.from({ length: 8 }, newStream)
      const writers = yield* Effect.forkChild(
        Effect.forEach(streams, (stream) => appendOneByOne(store, stream, 40), { concurrency: "unbounded" })
      )
      const count = streams.length * 40
      const collect = Effect.fnUntraced(function* (after: Position) {
        const own: Array<RecordedEvent> = []
        yield* store.subscribe({ after }).pipe(
          Stream.tap((page) => Effect.sync(() => own.push(...page.filter(({ stream }) => streams.includes(stream))))),
          Stream.takeUntil(() => own.length >= count),
          Stream.runDrain
        )
        return own
      })
      const subscribers = yield* Effect.forkChild(
        Effect.all([collect(before), collect(before), collect(before)], { concurrency: "unbounded" })
      )
      yield* Fiber.join(writers)
      for (const seen of yield* Fiber.join(subscribers)) {
        assertAscending(seen)
        for (const stream of streams) {
          const revisions = seen.filter((event) => event.stream === stream).map(({ revision }) => revision)
          assert.deepStrictEqual(revisions, Array.from({ length: 40 }, (_, revision) => revision))
        }
      }
    })

    it.effect("ends one subscription without disturbing another", function* () {
      const store = yield* EventStore
      const stream = newStream()
      const before = yield* store.head
      const leaving = yield* Effect.forkChild(Stream.runDrain(store.subscribe({ after: before })))
      const seen = yield* subscribed(store, before, [stream])
      const events = newEvents(2)
      yield* store.append(stream, "no-stream", events.slice(0, 1))
      assert.strictEqual(yield* Queue.take(seen), events[0]?.id)
      yield* Fiber.interrupt(leaving)
      yield* store.append(stream, 0, events.slice(1))
      assert.strictEqual(yield* Queue.take(seen), events[1]?.id)
    })

    modelProperty(it)
  })

/** A queue with the ids of a subscription's events of these streams, filled until the test ends. */
const subscribed = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  after: Position,
  streams: ReadonlyArray<string>
) {
  const ids = yield* Queue.unbounded<string>()
  const subscription = Stream.runForEach(
    store.subscribe({ after }),
    (page) => Queue.offerAll(ids, page.filter(({ stream }) => streams.includes(stream)).map(({ id }) => id))
  )
  yield* Effect.forkScoped(subscription)
  return ids
})

const appendOneByOne = (store: EventStore["Service"], stream: string, count: number) =>
  Effect.forEach(
    newEvents(count),
    (event, index) => store.append(stream, index === 0 ? "no-stream" : index - 1, [event])
  )

const assertAscending = (events: ReadonlyArray<RecordedEvent>): void => {
  const isAscending = events.slice(1).every((event, index) =>
    isBefore(events[index]?.position ?? event.position, event.position)
  )
  assert.isTrue(isAscending, "positions ascend strictly")
}

const actualOf = (error: WrongExpectedRevision | EventStoreError) =>
  error._tag === "WrongExpectedRevision" ? error.actual : error
