import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Fiber, Latch, Queue, Schedule, Stream } from "effect"
import { join } from "node:path"
import { beginning, isBefore, type NewEvent, type RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError, type WrongExpectedRevision } from "../../../../../ports/event-store.ts"
import { newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../../support/eventstore-server/process.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { addressOf, layerAt, on } from "./given-server.ts"

/** Repeats an append with the same ids until the store has it. */
const appendUntilStored = (stream: string, events: ReadonlyArray<NewEvent>) =>
  Effect.flatMap(EventStore, ({ append }) =>
    append(stream, "no-stream", events).pipe(
      Effect.retry({ schedule: Schedule.spaced("20 millis"), while: ({ _tag }) => _tag === "EventStoreError" })
    ))

/** Asks again soon, and waits as long as a slow machine needs. */
const impatient = { appendTimeout: "5 minutes", appendAgainEvery: "20 millis" } as const

describe("appending to an EventStoreDB that fails", () => {
  it.live("stores a repeated append once when the first answer is lost with the connection", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const [stream, events] = [newStream(), newEvents(3)]
      yield* server.faults({ loseReplies: 1, cutWithReply: true })
      const error = yield* Effect.flip(append(stream, "no-stream", events))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "unavailable" })
      assert.strictEqual((yield* append(stream, "no-stream", events)).revision, 2)
      assert.deepStrictEqual((yield* readStream(stream)).map(({ id }) => id), events.map(({ id }) => id))
    }).pipe(on(server))
  })

  it.live("asks again for an answer that was lost, and gets it", function* () {
    const server = yield* startServerProcess()
    yield* server.faults({ loseReplies: 1 })
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const [stream, events] = [newStream(), newEvents(2)]
      assert.strictEqual((yield* append(stream, "no-stream", events)).revision, 1)
      assert.lengthOf(yield* readStream(stream), 2)
    }).pipe(on(server, impatient))
  })

  it.live("asks again for the answer of an equal append, which the server gives only after its own timeout", function* () {
    const server = yield* startServerProcess()
    yield* server.faults({ commitTimeoutMillis: 3_600_000 })
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const [stream, events] = [newStream(), newEvents(2)]
      const attempt = append(stream, "no-stream", events)
      const [first, ...others] = yield* Effect.all([attempt, attempt, attempt], { concurrency: "unbounded" })
      assert.deepStrictEqual(others, [first, first])
      assert.lengthOf(yield* readStream(stream), 2)
    }).pipe(on(server, impatient))
  })

  it.live("fails with timeout when no answer comes, and accepts the repeated append", function* () {
    const server = yield* startServerProcess()
    const [stream, events] = [newStream(), newEvents(2)]
    yield* server.faults({ loseReplies: 1_000 })
    const error = yield* EventStore.use(({ append }) => Effect.flip(append(stream, "no-stream", events))).pipe(
      on(server, { appendTimeout: "200 millis" })
    )
    assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "timeout" })
    yield* server.faults({})
    yield* Effect.gen(function* () {
      assert.strictEqual((yield* appendUntilStored(stream, events)).revision, 1)
      assert.lengthOf(yield* EventStore.use(({ readStream }) => readStream(stream)), 2)
    }).pipe(on(server))
  })

  it.live("asks again after the server's own timeout, and fails with timeout while the server times out", function* () {
    const server = yield* startServerProcess()
    const [stream, events] = [newStream(), newEvents(2)]
    const append = EventStore.use(({ append }) => append(stream, "no-stream", events))
    yield* server.faults({ timeOut: 1_000 })
    const error = yield* Effect.flip(append).pipe(on(server, { appendTimeout: "200 millis" }))
    assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "timeout" })
    yield* server.faults({ timeOut: 2 })
    assert.strictEqual((yield* Effect.provide(append, layerAt(addressOf(server), impatient))).revision, 1)
  })

  it.live("fails with unavailable while the server refuses requests or is down", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, head, readAll, readStream } = yield* EventStore
      const stream = newStream()
      const calls: ReadonlyArray<Effect.Effect<unknown, WrongExpectedRevision | EventStoreError>> = [
        append(stream, "no-stream", newEvents(1)),
        readStream(stream),
        readAll({ after: beginning, limit: 1 }),
        head
      ]
      for (const call of calls) {
        yield* server.faults({ unavailable: 1 })
        assert.deepInclude({ ...(yield* Effect.flip(call)) }, { _tag: "EventStoreError", reason: "unavailable" })
      }
      yield* append(stream, "no-stream", newEvents(1))
      yield* server.kill
      const error = yield* Effect.flip(append(stream, 0, newEvents(1)))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "unavailable" })
    }).pipe(on(server))
  })

  it.live("neither loses nor duplicates events when the server is killed and restarted under appends", function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "log")
    const first = yield* startServerProcess("--file", file)
    yield* Effect.gen(function* () {
      const { subscribe } = yield* EventStore
      const streams = () => Array.from({ length: 40 }, () => [newStream(), newEvents(2)] as const)
      const lanes = Array.from({ length: 4 }, streams)
      const expected = lanes.flat().flatMap(([, events]) => events.map(({ id }) => id))
      const seen: Array<RecordedEvent> = []
      const halfway = yield* Latch.make()
      const subscriber = yield* subscribe({ after: beginning }).pipe(
        Stream.tap((page) => Effect.sync(() => seen.push(...page))),
        Stream.tap(() => seen.length > 40 ? halfway.open : Effect.void),
        Stream.takeUntil(() => seen.length >= expected.length),
        Stream.runDrain,
        Effect.forkChild
      )
      const writers = yield* Effect.forkChild(
        Effect.forEach(
          lanes,
          (lane) => Effect.forEach(lane, ([stream, events]) => appendUntilStored(stream, events)),
          { concurrency: "unbounded" }
        )
      )
      yield* halfway.await
      yield* first.kill
      yield* startServerProcess("--file", file, "--port", String(first.port))
      yield* Fiber.join(writers)
      yield* Fiber.join(subscriber)
      assert.deepStrictEqual(seen.map(({ id }) => id).sort(), expected.toSorted())
      assertInOrder(seen)
    }).pipe(on(first))
  })
})

describe("two connections to EventStoreDB in one process", () => {
  it.live("keep their appends apart: a fault of one leaves the pending append of the other alone", function* () {
    const [healthy, broken] = [yield* startServerProcess(), yield* startServerProcess()]
    const append = EventStore.use((store) => store.append(newStream(), "no-stream", newEvents(1)))
    yield* Effect.gen(function* () {
      yield* healthy.faults({ delayMillis: 300 })
      const waiting = yield* Effect.forkChild(append)
      yield* broken.faults({ loseReplies: 1, cutWithReply: true })
      const error = yield* append.pipe(on(broken, { appends: false }), Effect.flip)
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "unavailable" })
      assert.strictEqual((yield* Fiber.join(waiting)).revision, 0)
    }).pipe(on(healthy))
  })
})

describe("reading from an EventStoreDB that fails", () => {
  it.live("continues after the last event when the connection is cut in the middle of a page", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, readAll, subscribe } = yield* EventStore
      const [stream, events] = [newStream(), newEvents(300)]
      yield* append(stream, "no-stream", events)

      yield* server.faults({ cutAfterEvents: 100 })
      const error = yield* Effect.flip(readAll({ after: beginning, limit: 300 }))
      assert.strictEqual(error.reason, "unavailable")
      assert.lengthOf(yield* readAll({ after: beginning, limit: 300 }), 300)

      yield* server.faults({ cutAfterEvents: 150 })
      const seen: Array<RecordedEvent> = []
      yield* subscribe({ after: beginning }).pipe(
        Stream.tap((page) => Effect.sync(() => seen.push(...page))),
        Stream.takeUntil(() => seen.length >= 300),
        Stream.runDrain
      )
      assert.deepStrictEqual(seen.map(({ id }) => id), events.map(({ id }) => id))
    }).pipe(on(server))
  })

  it.live("delivers each event once to a slow consumer while the connection is cut", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, subscribe } = yield* EventStore
      const [stream, events] = [newStream(), newEvents(1_000)]
      yield* append(stream, "no-stream", events)
      const seen: Array<RecordedEvent> = []
      yield* subscribe({ after: beginning }).pipe(
        Stream.tap((page) => Effect.sync(() => seen.push(...page))),
        // Cuts the connection while the consumer still processes the first page.
        Stream.tap(() => seen.length < 500 ? server.cut : Effect.void),
        Stream.takeUntil(() => seen.length >= 1_000),
        Stream.runDrain
      )
      assert.deepStrictEqual(seen.map(({ id }) => id), events.map(({ id }) => id))
    }).pipe(on(server))
  })

  it.live("keeps a subscription alive across cuts of an idle connection", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, subscribe } = yield* EventStore
      const stream = newStream()
      const arrivals = yield* Queue.unbounded<string>()
      yield* subscribe({ after: beginning }).pipe(
        Stream.runForEach((page) => Queue.offerAll(arrivals, page.map(({ id }) => id))),
        Effect.forkScoped
      )
      for (const [index, event] of newEvents(4).entries()) {
        yield* append(stream, index === 0 ? "no-stream" : index - 1, [event]).pipe(
          Effect.retry({ schedule: Schedule.spaced("20 millis"), while: ({ _tag }) => _tag === "EventStoreError" })
        )
        assert.strictEqual(yield* Queue.take(arrivals), event.id)
        yield* server.cut
      }
    }).pipe(on(server))
  })
})

const assertInOrder = (events: ReadonlyArray<RecordedEvent>): void => {
  const isInOrder = events.slice(1).every(({ position }, index) => {
    const before = events[index]?.position
    return before !== undefined && isBefore(before, position)
  })
  assert.isTrue(isInOrder)
}
