import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Logger, Stream } from "effect"
import { beginning, isBefore } from "../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../../support/eventstore-server/process.ts"
import { addressOf, layerAt, on } from "./given-server.ts"

describe("an EventStoreDB whose operator changed streams or rights", () => {
  it.live("fails with corrupt, and what to do, when the first events of a stream were removed", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      yield* append(stream, "no-stream", newEvents(5))
      yield* server.truncate(stream, 3)
      const error = yield* Effect.flip(readStream(stream))
      assert.strictEqual(error.reason, "corrupt")
      assert.match(String(error.cause), new RegExp(`removed the events of ${stream} before revision 3.*backup`, "u"))
      assert.strictEqual((yield* Effect.flip(readStream(stream, { from: 2 }))).reason, "corrupt")
      assert.lengthOf(yield* readStream(stream, { from: 3 }), 2)
    }).pipe(on(server))
  })

  it.live("fails with corrupt when a stream was deleted", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      yield* append(stream, "no-stream", newEvents(1))
      yield* server.delete(stream)
      for (const refused of [Effect.flip(append(stream, 0, newEvents(1))), Effect.flip(readStream(stream))]) {
        const error = yield* refused
        assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "corrupt" })
        assert.match(String(error.cause), /deleted/iu)
      }
      yield* append(newStream(), "no-stream", newEvents(1))
    }).pipe(on(server))
  })

  it.live("passes over the tombstone of a deleted stream, and names the stream once", function* () {
    const server = yield* startServerProcess()
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
    const [deleted, kept] = [newStream(), newStream()]
    yield* Effect.gen(function* () {
      const { append, head, readAll, subscribe } = yield* EventStore
      yield* append(deleted, "no-stream", newEvents(1))
      yield* server.delete(deleted)
      yield* server.delete(newStream())
      const before = yield* head
      const { position } = yield* append(kept, "no-stream", newEvents(2))
      yield* server.delete(kept)

      assert.deepStrictEqual(yield* head, position, "the end is the last event of this log")
      assert.isTrue(isBefore(before, position))
      const streams = (yield* readAll({ after: beginning, limit: 3 })).map(({ stream }) => stream)
      assert.deepStrictEqual(streams, [deleted, kept, kept], "a page is full although tombstones take places of it")
      assert.lengthOf(yield* readAll({ after: before, limit: 1 }), 1)
      const followed = yield* Stream.runCollect(
        Stream.take(Stream.flattenIterable(subscribe({ after: beginning })), 3)
      )
      assert.lengthOf([...followed], 3)
    }).pipe(Effect.provide(Layer.provideMerge(layerAt(addressOf(server)), Logger.layer([logger]))))
    assert.lengthOf(warnings.filter((line) => line.includes(deleted)), 1)
    assert.match(warnings.find((line) => line.includes(kept)) ?? "", /was deleted in the event store.*backup/u)
  })

  it.live("is at the beginning of a log that has only tombstones", function* () {
    const server = yield* startServerProcess()
    yield* Effect.forEach(Array.from({ length: 70 }, newStream), server.delete)
    yield* Effect.gen(function* () {
      const { head, readAll } = yield* EventStore
      assert.deepStrictEqual(yield* head, beginning)
      assert.deepStrictEqual(yield* readAll({ after: beginning, limit: 5 }), [])
    }).pipe(on(server))
  })

  it.live("fails with corrupt when an append continues a stream that was deleted and counts as new", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const stream = newStream()
      yield* append(stream, "no-stream", newEvents(2))
      yield* server.softDelete(stream)
      const error = yield* Effect.flip(append(stream, "no-stream", newEvents(1)))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "corrupt" })
      assert.match(String(error.cause), new RegExp(`events of ${stream} before revision 2 were deleted.*backup`, "u"))
    }).pipe(on(server))
  })

  it.live("starts only when the user may append, unless it appends nothing", function* () {
    const server = yield* startServerProcess()
    yield* server.faults({ denyAppends: 1 })
    const error = yield* Effect.flip(Effect.asVoid(EventStore).pipe(Effect.provide(layerAt(addressOf(server)))))
    assert.strictEqual(error.operation, "open")
    assert.match(String(error.cause), /can't be used: the user may not append: \$userStreamAcl/u)
    yield* server.faults({ denyAppends: 1 })
    yield* Effect.asVoid(EventStore).pipe(Effect.provide(layerAt(addressOf(server), { appends: false })))
    yield* server.faults({})
    const isEmpty = Effect.flatMap(EventStore, ({ head }) => head)
    assert.deepStrictEqual(
      yield* Effect.provide(isEmpty, layerAt(addressOf(server))),
      beginning,
      "the test writes nothing"
    )
  })

  it.live("says what right is missing when the user may not append, and keeps the other appends of the call", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      yield* append(newStream(), "no-stream", newEvents(1))
      yield* server.faults({ denyAppends: 1 })
      const appends = Array.from({ length: 3 }, () => Effect.result(append(newStream(), "no-stream", newEvents(1))))
      const results = yield* Effect.all(appends, { concurrency: "unbounded" })
      const errors = results.flatMap((result) => result._tag === "Failure" ? [result.failure] : [])
      assert.lengthOf(errors, 1)
      assert.deepInclude({ ...errors[0] }, { _tag: "EventStoreError", reason: "unavailable" })
      assert.match(
        String(errors[0]?.cause),
        /may not append: \$userStreamAcl in the stream \$settings.*AccessDenied/u
      )
    }).pipe(on(server))
  })
})
