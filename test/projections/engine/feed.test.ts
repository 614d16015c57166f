import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { makeFeed, olderPageSize, pageSize } from "../../../projections/engine/feed.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { LogFollower } from "../../../ports/log-follower.ts"
import { SoleWriter } from "../../../ports/sole-writer.ts"
import { newEvents, newStream } from "../../contracts/event-store-events.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"

/** A feed over a log in memory, with the number of its reads of the log. */
const given = Effect.gen(function* () {
  const store = yield* EventStore
  let reads = 0
  const readAll: EventStore["Service"]["readAll"] = (options) =>
    Effect.suspend(() => {
      reads++
      return store.readAll(options)
    })
  let subscriptions = 0
  const subscribe: EventStore["Service"]["subscribe"] = (options) => {
    subscriptions++
    return store.subscribe(options)
  }
  const feed = yield* Effect.provideService(makeFeed, EventStore, EventStore.of({ ...store, readAll, subscribe }))
  const append = (count: number) => store.append(newStream(), "no-stream", newEvents(count))
  const follow = Effect.gen(function* () {
    yield* Effect.forkScoped(feed.follow, { startImmediately: true })
    while (!feed.isConnected()) yield* Effect.yieldNow
  })
  const readTo = Effect.fnUntraced(function* (from: Position, to: Position) {
    const ids: Array<string> = []
    let at = from
    while (at.commit < to.commit) {
      const page = yield* feed.after(at)
      assert.isAtMost(page.length, olderPageSize)
      ids.push(...page.map(({ id }) => id))
      at = page.at(-1)?.position ?? to
    }
    return ids
  })
  const idsAfter = (after: Position) =>
    Effect.map(store.readAll({ after, limit: 100_000 }), (events) => events.map(({ id }) => id))
  return { append, feed, follow, idsAfter, readTo, reads: () => reads, subscriptions: () => subscriptions }
})

const test = it.effect.with(() => Layer.fresh(layerEventStoreMemory))

describe("the feed", () => {
  test("returns new events from memory, for any position after it began to follow the log", function* () {
    const { append, feed, follow, idsAfter, readTo, reads } = yield* given
    const { position: before } = yield* append(3)
    yield* follow
    const { position: middle } = yield* append(200)
    const { position: last } = yield* append(90)
    yield* feed.awaitEventAfter(middle)
    for (const from of [before, middle]) assert.deepStrictEqual(yield* readTo(from, last), yield* idsAfter(from))
    assert.strictEqual(reads(), 0)
  })

  test("reads older events from the log", function* () {
    const { append, feed, follow, idsAfter, readTo, reads } = yield* given
    const { position: before } = yield* append(3)
    yield* follow
    const { position: last } = yield* append(5)
    yield* feed.awaitEventAfter(before)
    assert.deepStrictEqual(yield* readTo(beginning, last), yield* idsAfter(beginning))
    assert.strictEqual(reads(), 1)
  })

  test("reads older events once for several readers, also at different places in a page", function* () {
    const { append, follow, idsAfter, readTo, reads } = yield* given
    const { position: other } = yield* append(7)
    const { position: last } = yield* append(3 * olderPageSize)
    yield* follow
    const [all, some] = yield* Effect.all([readTo(beginning, last), readTo(other, last)], { concurrency: 2 })
    assert.deepStrictEqual(all, yield* idsAfter(beginning))
    assert.deepStrictEqual(some, yield* idsAfter(other))
    assert.strictEqual(reads(), 4)
  })

  test("reads older events again for a reader that is far behind another one, or when they were forgotten", function* () {
    const { append, feed, follow, idsAfter, readTo, reads } = yield* given
    const { position: few } = yield* append(olderPageSize)
    const { position: many } = yield* append(80 * olderPageSize)
    yield* follow
    for (const [last, count] of [[few, 1], [few, 1], [many, 81], [many, 162]] as const) {
      assert.deepStrictEqual((yield* readTo(beginning, last)).length, Number(last.commit))
      assert.strictEqual(reads(), count)
    }
    const [rest] = [yield* readTo(few, many)]
    assert.deepStrictEqual(rest, yield* idsAfter(few))
    const before = reads()
    feed.dropOlder()
    yield* feed.after(few)
    assert.strictEqual(reads(), before + 1)
  })

  test("drops the oldest events from memory and returns all events without a gap", function* () {
    const { append, feed, follow, idsAfter, readTo, reads } = yield* given
    yield* follow
    let last = beginning
    for (let batch = 0; batch < 50; batch++) {
      const appended = yield* append(200)
      yield* feed.awaitEventAfter(last)
      last = appended.position
    }
    assert.deepStrictEqual(yield* readTo(beginning, last), yield* idsAfter(beginning))
    assert.isAbove(reads(), 0)
    assert.isBelow(reads(), 10_000 / pageSize)
  })

  test("keeps no event while its readers read elsewhere, and new ones again when one comes", function* () {
    const { append, feed, follow, idsAfter, readTo, reads } = yield* given
    yield* follow
    const { position: unread } = yield* append(5_000)
    const { position: before } = yield* append(10)
    yield* feed.awaitEventAfter(unread)
    assert.deepStrictEqual(yield* readTo(unread, before), yield* idsAfter(unread))
    assert.strictEqual(reads(), 1)
    const { position: last } = yield* append(10)
    yield* feed.awaitEventAfter(before)
    assert.deepStrictEqual(yield* readTo(before, last), yield* idsAfter(before))
    assert.strictEqual(reads(), 1)
  })

  test("reads no event while a thread reads them, and every event after the thread has ended", function* () {
    const store = yield* EventStore
    let isReady = true
    const follower = { isReady: () => isReady, limit: 1, project: () => Effect.undefined, extend: Effect.succeed }
    const headAfter = (position: Position): Effect.Effect<Position> =>
      Effect.flatMap(
        Effect.orDie(store.head),
        (head) => isBefore(position, head) ? Effect.succeed(head) : Effect.andThen(Effect.yieldNow, headAfter(position))
      )
    const { append, feed, follow, idsAfter, readTo, reads, subscriptions } = yield* given.pipe(
      Effect.provideService(LogFollower, follower),
      Effect.provideService(SoleWriter, { settled: Effect.void, headAfter })
    )
    yield* follow
    const { position: first } = yield* append(5)
    while (formatPosition(feed.head()) !== formatPosition(first)) yield* Effect.yieldNow
    assert.deepStrictEqual([reads(), subscriptions()], [0, 0])

    isReady = false
    const { position: second } = yield* append(5)
    yield* feed.awaitEventAfter(first)
    const { position: third } = yield* append(5)
    yield* feed.awaitEventAfter(second)
    assert.deepStrictEqual(yield* readTo(beginning, third), yield* idsAfter(beginning))
    assert.strictEqual(subscriptions(), 1)
  })
})
