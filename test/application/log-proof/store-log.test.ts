import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer, Stream } from "effect"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { storeLog } from "../../../application/log-proof/store-log.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"
import { appendEvent } from "../../support/event-fixtures.ts"

const test = it.effect.with(() => layerEventStoreMemory)

const given = Effect.forEach(Array.from({ length: 1_200 }), (_, n) => appendEvent(`slip-${n}`, "SlipVerified"))

/** A store that can't read the event at a position, nor any page with it. */
const withUnreadable = (at: bigint, reason: EventStoreError["reason"]) =>
  Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        readAll: ({ after, limit }) =>
          after.commit < at && at <= after.commit + BigInt(limit)
            ? Effect.fail(
              new EventStoreError({ operation: "readAll", reason, cause: new Error("data that is not JSON") })
            )
            : store.readAll({ after, limit })
      }))
  )

/** Reads a log to its end or to the first failure. */
const readAll = Effect.gen(function* () {
  const positions: Array<bigint> = []
  const { events } = yield* storeLog
  const exit = yield* Effect.result(
    Stream.runForEach(
      events,
      (page) =>
        Effect.sync(() =>
          positions.push(...page.flatMap((entry) => entry._tag === "Event" ? [entry.event.position.commit] : []))
        )
    )
  )
  return { read: positions.length, last: positions.at(-1), failure: exit._tag === "Failure" ? exit.failure : undefined }
})

describe("the log of an event store, for verification", () => {
  test("reads all events up to where the log ends", function* () {
    yield* given
    const { events } = yield* storeLog
    yield* appendEvent("slip-later", "SlipVerified")
    const pages = yield* Stream.runCollect(events)
    assert.strictEqual(pages.flat().length, 1_200)
  })

  test("stops at an unreadable event and names it", function* () {
    yield* given
    for (const at of [1n, 2n, 500n, 501n, 777n, 1_200n]) {
      const { failure, last, read } = yield* Effect.provide(readAll, withUnreadable(at, "corrupt"))
      assert.deepStrictEqual({ read, last: last ?? 0n }, { read: Number(at) - 1, last: at - 1n })
      assert.deepInclude(failure, { isDamaged: true })
      assert.strictEqual(
        failure?.message,
        `the event after position ${at - 1n}/${at - 1n} cannot be read: data that is not JSON`
      )
    }
  })

  test("does not report damage when the store is unavailable", function* () {
    yield* given
    const { failure } = yield* Effect.provide(readAll, withUnreadable(700n, "unavailable"))
    assert.deepInclude(failure, { isDamaged: false })
  })
})
