import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventStore } from "../../../../ports/event-store.ts"
import { newEvents, newStream } from "../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../support/eventstore-server/process.ts"
import { on } from "./given-server.ts"

describe("an EventStoreDB whose operator changed streams or rights", () => {
  it.live("fails with corrupt, and what to do, when the first events of a stream were removed", () =>
    Effect.gen(function* () {
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
    }))

  it.live("fails with corrupt when a stream was deleted", () =>
    Effect.gen(function* () {
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
    }))

  it.live("says what right is missing when the user may not append, and keeps the other appends of the call", () =>
    Effect.gen(function* () {
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
    }))
})
