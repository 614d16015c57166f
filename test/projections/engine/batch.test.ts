import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { fullBatch, projectAll, takeBatch } from "../../../projections/engine/batch.ts"
import type { Feed } from "../../../projections/engine/feed.ts"
import { Table } from "../../../projections/engine/read-model.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"

/** Positions of an EventStoreDB are places in its files: the distance of two neighbours is larger than a batch. */
const BYTES = 1_500n

const eventAt = (index: number): RecordedEvent => {
  const commit = BigInt(index + 1) * BYTES
  return recordedEvent("Any", {}, { stream: `slip-${index}`, position: { commit, prepare: commit } })
}

const given = (count: number) => {
  const events = Array.from({ length: count }, (_, index) => eventAt(index))
  const feed: Feed = {
    head: () => events.at(-1)?.position ?? beginning,
    isConnected: () => true,
    after: ({ commit }) => Effect.sync(() => events.filter(({ position }) => position.commit > commit)),
    dropOlder: () => {},
    awaitEventAfter: () => Effect.void,
    follow: Effect.never
  }
  return { events, feed }
}

describe("a batch of events", () => {
  it.effect("waits for more events when it is not full, however far apart their positions are", function* () {
    const { events, feed } = given(2)
    const taken = yield* Effect.forkChild(takeBatch(feed, beginning, 20))
    yield* TestClock.adjust(19)
    assert.isUndefined(taken.pollUnsafe())
    events.push(eventAt(2))
    yield* TestClock.adjust(1)
    assert.lengthOf(yield* Fiber.join(taken), 3)
  })

  it.effect("is taken at once when it is full, or when it may not wait", function* () {
    assert.lengthOf(yield* takeBatch(given(fullBatch).feed, beginning, 20), fullBatch)
    assert.lengthOf(yield* takeBatch(given(2).feed, beginning, 0), 2)
  })
})

describe("the writes of a batch", () => {
  it("count each row in one write, in the order with other writes to it", () => {
    const counts = new Table({ name: "counts", version: 1 }, "hours", Schema.Record(Schema.String, Schema.Int))
    const { events } = given(5)
    const when = ({ stream }: RecordedEvent) =>
      stream === "slip-3"
        ? [counts.delete("h1")]
        : [counts.add("h1", { verified: 1, [stream]: 2 }), counts.add("h2", { verified: 1 })]
    const { writes } = projectAll({ name: "counts", version: 1, streams: ["slip-"], when }, events)
    assert.deepStrictEqual(writes, [
      counts.delete("h1"),
      counts.set("h1", { verified: 1, "slip-4": 2 }),
      counts.add("h2", { verified: 4 })
    ])
  })
})
