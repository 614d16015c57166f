import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { eventsOfSegments, verificationSegments } from "../../../application/trail/trail-sources.ts"
import { findRecorded } from "../../../application/verification/verification-view.ts"
import { slips, streamOf } from "../../../domain/events/aggregates.ts"
import { satang } from "../../../domain/money.ts"
import type { SlipEvent } from "../../../domain/slip/slip.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"
import { someEvent } from "../../support/event-fixtures.ts"

const test = it.effect.with(() => Layer.fresh(layerEventStoreMemory))

const at = "2026-11-21T08:45:00.000Z"
const sealed = { k: "k", n: "n", c: "c" }
const stream = streamOf.slip("s-1", "digest")
const REPEATS = 1_000

const verdict = (index: number) => ({
  verificationId: `v-${index}`,
  branchId: "b-1",
  at,
  month: "2026-11",
  charged: index === 0,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null,
  matching: null
})

const first: SlipEvent = {
  _tag: "SlipVerified",
  ...verdict(0),
  serviceId: "s-1",
  sendingBank: "004",
  amount: satang(100_00),
  transferredAt: "2026-11-21T15:45:00+07:00",
  transfer: sealed,
  gateway: "sandbox",
  gatewayMillis: 1,
  upstream: null,
  askedBefore: []
}

/** The stream of a slip with many verifications, and the number of events that were read from it. */
const givenLongStream = Effect.gen(function* () {
  const store = yield* EventStore
  const repeats = Array.from({ length: REPEATS }, (_, index): SlipEvent => ({
    _tag: "SlipVerifiedAgain",
    ...verdict(index + 1)
  }))
  const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`
  yield* store.append(
    stream,
    "no-stream",
    [first, ...repeats].map((event, index) => {
      const { data, type } = slips.codec.encode(event)
      return someEvent(id(index), type, data, { at, causationId: event.verificationId })
    })
  )
  let read = 0
  const counting = EventStore.of({
    ...store,
    readStream: (name, options) =>
      Effect.tap(store.readStream(name, options), (events) => Effect.sync(() => read += events.length))
  })
  const place = { member: `v-${REPEATS} ${stream} ${REPEATS}`, score: 0 }
  const models = Layer.mock(ReadModels, {
    members: (_, __, { after } = {}) => Effect.succeed(after?.member === `v-${REPEATS} ` ? [place] : [])
  })
  return { layer: Layer.merge(Layer.succeed(EventStore, counting), models), read: () => read }
})

describe("one verification of a slip that was verified a thousand times", () => {
  test("is found by its revision: two events are read", function* () {
    const { layer, read } = yield* givenLongStream
    const found = yield* Effect.provide(findRecorded(`v-${REPEATS}`), layer)
    assert.strictEqual(found?.event.verificationId, `v-${REPEATS}`)
    assert.deepStrictEqual([found?.first.verificationId, found?.count], ["v-0", REPEATS + 1])
    assert.strictEqual(read(), 2)
  })

  test("is shown in its trail without the others: one event is read", function* () {
    const { layer, read } = yield* givenLongStream
    const events = yield* Effect.provide(
      Effect.flatMap(verificationSegments(`V-${REPEATS}`), eventsOfSegments),
      layer
    )
    assert.deepStrictEqual(events.map(({ revision }) => revision), [REPEATS])
    assert.strictEqual(read(), 1)
  })
})
