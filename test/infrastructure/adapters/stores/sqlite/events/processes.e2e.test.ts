import { assert, describe, it } from "../../../../../support/it.ts"
import { Context, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type RecordedEvent } from "../../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import {
  layerEventStoreEmbedded,
  layerEventStoreEmbeddedReadOnly
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { newEvents } from "../../../../../contracts/event-store-events.ts"
import { acknowledged, appendForever, startProcess } from "./appending-process.ts"
import { tempLog } from "./temp-folder.ts"

const open = (layer: Layer.Layer<EventStore, unknown>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, EventStore))

/** Advances the test clock until an effect ends, because the store polls the file. */
const whileTimePasses = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const clock = yield* Effect.forkChild(Effect.forever(TestClock.adjust("1 second")))
    const result = yield* effect
    yield* Fiber.interrupt(clock)
    return result
  })

describe("an embedded event log with more than one connection", () => {
  it.effect("shows each commit to a reading process immediately", function* () {
    const file = yield* tempLog
    const writing = yield* open(layerEventStoreEmbedded({ file }))
    const reading = yield* open(layerEventStoreEmbeddedReadOnly({ file }))
    for (const expected of ["no-stream", 0, 1] as const) {
      const { position } = yield* writing.append("a", expected, newEvents(1))
      assert.deepStrictEqual(yield* reading.head, position)
      assert.deepStrictEqual(yield* reading.readStream("a"), yield* writing.readStream("a"))
      assert.lengthOf(yield* reading.readAll({ after: beginning, limit: 10 }), Number(position.commit))
    }
  })

  it.effect("wakes subscriptions for appends of other processes by polling the file", function* () {
    const file = yield* tempLog
    const one = yield* open(layerEventStoreEmbedded({ file }))
    const other = yield* open(layerEventStoreEmbedded({ file }))
    const pages = yield* Queue.unbounded<ReadonlyArray<RecordedEvent>>()
    const subscription = Stream.runForEach(other.subscribe({ after: beginning }), (page) => Queue.offer(pages, page))
    yield* Effect.forkScoped(subscription)
    for (const expected of ["no-stream", 0] as const) {
      const events = newEvents(1)
      yield* one.append("a", expected, events)
      const page = yield* whileTimePasses(Queue.take(pages))
      assert.deepStrictEqual(page.map(({ id }) => id), events.map(({ id }) => id))
    }
  })

  it.effect("reports the actual revision to a writer that lost a race with another process", function* () {
    const file = yield* tempLog
    const one = yield* open(layerEventStoreEmbedded({ file }))
    const other = yield* open(layerEventStoreEmbedded({ file }))
    yield* one.append("a", "no-stream", newEvents(3))
    const error = yield* Effect.flip(other.append("a", "no-stream", newEvents(1)))
    assert.deepInclude({ ...error }, { _tag: "WrongExpectedRevision", actual: 2 })
    assert.lengthOf(yield* other.readStream("a"), 3)
  })

  it.live("streams the appends of another process without gaps or duplicates, in order", function* () {
    const file = yield* tempLog
    yield* Effect.provide(EventStore.use(({ head }) => head), layerEventStoreEmbedded({ file }))
    const reading = yield* open(layerEventStoreEmbeddedReadOnly({ file }))
    const seen: Array<RecordedEvent> = []
    const subscriber = yield* Effect.forkChild(
      reading.subscribe({ after: beginning }).pipe(
        Stream.tap((page) => Effect.sync(() => seen.push(...page))),
        Stream.takeUntil(() => seen.length >= 3000),
        Stream.runDrain
      )
    )
    const { child, ended } = startProcess(appendForever(file))
    yield* Fiber.join(subscriber)
    child.kill("SIGKILL")
    const ids = acknowledged(yield* Effect.promise(() => ended))
    assert.deepStrictEqual(seen.map(({ position }) => position.commit), seen.map((_, index) => BigInt(index + 1)))
    const all = yield* reading.readAll({ after: beginning, limit: 1_000_000 })
    assert.deepStrictEqual(all.slice(0, seen.length), seen)
    const stored = new Set(all.map(({ id }) => id))
    assert.isTrue(ids.every((id) => stored.has(id)))
  })
})
