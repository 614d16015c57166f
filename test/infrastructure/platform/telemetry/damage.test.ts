import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Layer, Logger } from "effect"
import { EventStore, EventStoreError } from "../../../../ports/event-store.ts"
import { layerInstrumentedEventStore } from "../../../../infrastructure/runtime/instrumented/stores.ts"
import { someEvent } from "../../../support/event-fixtures.ts"
import { layerFaultyEventStore, noFaults } from "../../../support/faulty-event-store.ts"

/** What an event store logs whose appends and reads fail for this reason. */
const loggedBy = Effect.fnUntraced(function* (reason: EventStoreError["reason"]) {
  const failure = Effect.fail(new EventStoreError({ operation: "readStream", reason }))
  const store = layerFaultyEventStore({ ...noFaults(), before: () => failure, read: () => failure })
  const logged: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${JSON.stringify(message)}`))
  ])
  yield* Effect.gen(function* () {
    const { append, readStream } = yield* EventStore
    yield* Effect.flip(append("slip-1", "no-stream", [someEvent("1", "SlipVerified")]))
    yield* Effect.flip(readStream("slip-1"))
  }).pipe(Effect.provide(Layer.merge(Layer.provide(layerInstrumentedEventStore("eventstoredb"), store), logger)))
  return logged
})

describe("an event store that is damaged", () => {
  it.effect("logs each append and read that fails", function* () {
    const logged = yield* loggedBy("corrupt")
    assert.lengthOf(logged, 2)
    for (const line of logged) assert.match(line, /^Error .*events were removed from it.*corrupt/u)
  })

  it.effect("is not confused with one that is unavailable", function* () {
    assert.deepStrictEqual(yield* loggedBy("unavailable"), [])
  })
})

describe("an event store whose disk is full", () => {
  it.effect("logs the first append that fails with what to do, not the next ones, and that it can be written again", function* () {
    const full = Effect.fail(new EventStoreError({ operation: "append", reason: "disk-full" }))
    let isFull = true
    const store = layerFaultyEventStore({ ...noFaults(), before: () => isFull ? full : Effect.void })
    const logged: Array<string> = []
    const logger = Logger.layer([
      Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${JSON.stringify(message)}`))
    ])
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const tried = append("slip-1", "no-stream", [someEvent("1", "SlipVerified")])
      yield* Effect.flip(tried)
      assert.lengthOf(logged, 1)
      assert.match(logged[0] ?? "", /^Error .*disk of the event log is full.*Free space on the disk of DATA_DIR/u)
      yield* Effect.flip(tried)
      assert.lengthOf(logged, 1)
      isFull = false
      yield* tried
      assert.lengthOf(logged, 2)
      isFull = true
      yield* Effect.flip(append("slip-2", "no-stream", [someEvent("2", "SlipVerified")]))
      assert.lengthOf(logged, 3)
    }).pipe(Effect.provide(Layer.merge(Layer.provide(layerInstrumentedEventStore("sqlite"), store), logger)))
  })
})
