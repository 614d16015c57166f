import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Fiber, Layer, Result, Schema } from "effect"
import type { Aggregate } from "../../../domain/events/aggregates.ts"
import { eventCodec } from "../../../domain/events/event-codec.ts"
import { load, makeCachedLoad, SLICE } from "../../../application/events/handle-command.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"

const JarEvent = Schema.TaggedUnion({ SweetsPut: { count: Schema.Int } })
type JarEvent = typeof JarEvent.Type

/** A jar of sweets that no command changes. */
const jar: Aggregate<never, number, JarEvent, never> = {
  decider: {
    initialState: 0,
    evolve: (sweets, { count }) => sweets + count,
    decide: () => Result.succeed([]),
    isTerminal: () => false
  },
  codec: eventCodec(JarEvent)
}

describe("loading a long stream", () => {
  it.effect("reads it in slices, between which other fibers run", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const count = 3 * SLICE
      const events = Array.from({ length: count }, (_, index) => someEvent(`put-${index}`, "SweetsPut", { count: 1 }))
      yield* store.append("jar-1", "no-stream", events)
      let others = 0
      const reads: Array<readonly [events: number, others: number]> = []
      const observed = EventStore.of({
        ...store,
        readStream: (...args) =>
          Effect.tap(store.readStream(...args), ({ length }) => Effect.sync(() => void reads.push([length, others])))
      })
      // `forever` yields after each turn.
      const other = yield* Effect.forkChild(Effect.forever(Effect.sync(() => void others++)))
      yield* Effect.yieldNow
      const { revision, state } = yield* Effect.provideService(load(jar, "jar-1"), EventStore, observed)
      yield* Fiber.interrupt(other)
      assert.deepStrictEqual([state, revision], [count, count - 1])
      assert.deepStrictEqual(reads.map(([length]) => length), [SLICE, SLICE, SLICE, 0])
      assert.strictEqual(new Set(reads.map(([, turns]) => turns)).size, 4)
    }).pipe(Effect.provide(layerEventStoreMemory)))

  it.effect("folds it once for each log, and then reads only newer events", function* () {
    const loadJar = makeCachedLoad(jar)
    const logOf = Effect.fnUntraced(function* (count: number) {
      const store = Context.get(yield* Layer.build(Layer.fresh(layerEventStoreMemory)), EventStore)
      const sweets = (from: number, length: number) =>
        Array.from({ length }, (_, n) => someEvent(`${from + n}`, "SweetsPut", { count: 1 }))
      yield* store.append("jar-1", "no-stream", sweets(0, count))
      const read: Array<number> = []
      const observed = EventStore.of({
        ...store,
        readStream: (...args) =>
          Effect.tap(store.readStream(...args), ({ length }) => Effect.sync(() => void read.push(length)))
      })
      const putTwo = store.append("jar-1", count - 1, sweets(count, 2))
      return { putTwo, read, load: Effect.provideService(loadJar("jar-1"), EventStore, observed) }
    })
    const [one, other] = [yield* logOf(100), yield* logOf(80)]
    assert.strictEqual((yield* one.load).state, 100)
    assert.strictEqual((yield* other.load).state, 80)
    yield* one.putTwo
    assert.strictEqual((yield* one.load).state, 102)
    assert.deepStrictEqual([one.read, other.read], [[100, 2], [80]])
  })
})
