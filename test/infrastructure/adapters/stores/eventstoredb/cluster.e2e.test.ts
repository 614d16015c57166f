import { assert, describe, it } from "../../../../support/it.ts"
import { Effect } from "effect"
import { EventStore, type EventStoreError, type WrongExpectedRevision } from "../../../../../ports/event-store.ts"
import { newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../../support/eventstore-server/process.ts"
import { on } from "./given-server.ts"

describe("a cluster of EventStoreDB", () => {
  it.live("is used through a follower: it opens, appends and reads on the leader that the follower names", function* () {
    const [leader, follower] = [yield* startServerProcess(), yield* startServerProcess()]
    yield* follower.faults({ leader: `127.0.0.1:${leader.port}` })
    const [stream, events] = [newStream(), newEvents(2)]
    yield* EventStore.use(({ append }) => append(stream, "no-stream", events)).pipe(on(follower))
    const stored = yield* EventStore.use(({ readStream }) => readStream(stream)).pipe(on(leader))
    assert.deepStrictEqual(stored.map(({ id }) => id), events.map(({ id }) => id))
  })

  it.live("elects another leader: appends and reads that the former one refuses succeed", function* () {
    const [next, former] = [yield* startServerProcess(), yield* startServerProcess()]
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const [first, later] = [newStream(), newStream()]
      yield* append(first, "no-stream", newEvents(1))
      yield* former.faults({ leader: "" })
      for (const refused of [Effect.flip(append(later, "no-stream", newEvents(1))), Effect.flip(readStream(first))]) {
        assert.deepInclude({ ...(yield* refused) }, { _tag: "EventStoreError", reason: "unavailable" })
      }
      yield* former.faults({ leader: `127.0.0.1:${next.port}` })
      const appends = Array.from({ length: 20 }, () => append(newStream(), "no-stream", newEvents(1)))
      yield* Effect.all([...appends, readStream(first)], { concurrency: "unbounded" })
      yield* append(later, "no-stream", newEvents(1))
      assert.lengthOf(yield* readStream(later), 1)
    }).pipe(on(former))
  })

  it.live("fails with unavailable when two nodes name each other as the leader", function* () {
    const [one, other] = [yield* startServerProcess(), yield* startServerProcess()]
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      yield* one.faults({ leader: `127.0.0.1:${other.port}` })
      yield* other.faults({ leader: `127.0.0.1:${one.port}` })
      for (const call of [append(newStream(), "no-stream", newEvents(1)), readStream(newStream())]) {
        const refused = Effect.flip<unknown, EventStoreError | WrongExpectedRevision, never>(call)
        assert.deepInclude({ ...(yield* refused) }, { _tag: "EventStoreError", reason: "unavailable" })
      }
    }).pipe(on(one))
  })
})
