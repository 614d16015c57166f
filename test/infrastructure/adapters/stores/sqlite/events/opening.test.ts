import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beginning } from "../../../../../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../../../../../ports/event-store.ts"
import { makeAppendBatch } from "../../../../../../infrastructure/adapters/stores/sqlite/events/append-batch.ts"
import { openForWriting } from "../../../../../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import {
  layerEventStoreEmbedded,
  layerEventStoreEmbeddedReadOnly
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { newEvents } from "../../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"

const withStore = <A, E>(file: string, use: (store: EventStore["Service"]) => Effect.Effect<A, E>) =>
  EventStore.use(use).pipe(Effect.provide(layerEventStoreEmbedded({ file })))

/** Writes a log with this many streams. */
const writeMany = (file: string, streams: number) =>
  Effect.sync(() => {
    mkdirSync(dirname(file), { recursive: true })
    const database = openForWriting(file)
    const names = Array.from({ length: streams }, (_, index) => `slip-${index}`)
    const event = ["00000000-0000-4000-8000-000000000000", "SlipVerified", "{}", "{}"]
    makeAppendBatch(database)(names.map((name) => [name, -1, event]), 0)
    database.close()
    return names
  })

const refusalOf = (layer: Layer.Layer<EventStore, EventStoreError>) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(layer))), ({ cause, reason }) => ({ reason, text: String(cause) }))

describe("the file of the embedded event store", () => {
  it.effect("is created with its folder, which only the owner can access", function* () {
    const file = yield* tempLog
    yield* withStore(file, ({ head }) => head)
    assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
    assert.isTrue(existsSync(file))
  })

  it.live("finds old, new and unknown streams while a thread reads the names of many", function* () {
    const file = yield* tempLog
    const names = yield* writeMany(file, 12_000)
    yield* withStore(file, ({ append, readStream }) =>
      Effect.gen(function* () {
        for (let round = 0; round < 48; round++) {
          yield* append(`new-${round}`, "no-stream", newEvents(1))
          for (const name of [names[round * 250] ?? "", `new-${round}`]) assert.lengthOf(yield* readStream(name), 1)
          assert.lengthOf(yield* readStream(`unknown-${round}`), 0)
        }
      }))
    // Closed while the thread may still read.
    yield* withStore(file, ({ head }) => head)
  })

  it.effect("returns the same events after a restart, without a write-ahead log", function* () {
    const file = yield* tempLog
    const everything = ({ readAll }: EventStore["Service"]) => readAll({ after: beginning, limit: 100 })
    const before = yield* withStore(file, (store) =>
      store.append("a", "no-stream", newEvents(3)).pipe(
        Effect.andThen(store.append("b", "no-stream", newEvents(2))),
        Effect.andThen(everything(store))
      ))
    assert.isFalse(existsSync(`${file}-wal`))
    assert.lengthOf(before, 5)
    assert.deepStrictEqual(yield* withStore(file, everything), before)
    const next = yield* withStore(file, ({ append }) => append("a", 2, newEvents(1)))
    assert.strictEqual(next.position.commit, 6n)
  })

  it.effect("continues after an earlier version, which had an index of ids", function* () {
    const file = yield* tempLog
    const [first, second] = [newEvents(2), newEvents(1)]
    const appended = yield* withStore(file, ({ append }) => append("a", "no-stream", first))
    const indexes = (change = "") => {
      const db = new DatabaseSync(file)
      db.exec(change)
      const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").all()
      db.close()
      return names.map(({ name }) => name)
    }
    assert.deepStrictEqual(indexes("CREATE UNIQUE INDEX events_by_id ON events(event_id)"), [
      "events_by_stream",
      "events_by_id"
    ])
    yield* withStore(file, ({ append }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* append("a", "no-stream", first), appended)
        assert.deepInclude(yield* append("a", 1, second), { revision: 2 })
      }))
    assert.deepStrictEqual(indexes(), ["events_by_stream"])
  })

  it.effect("contains every append that was pending when the store closed", function* () {
    const file = yield* tempLog
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layerEventStoreEmbedded({ file }), scope)
    const appends = Array.from(
      { length: 600 },
      (_, index) => EventStore.use(({ append }) => append(`stream-${index}`, "no-stream", newEvents(1)))
    )
    const fibers = yield* Effect.forEach(
      appends,
      (append) => Effect.forkChild(Effect.provide(append, context), { startImmediately: true })
    )
    yield* Scope.close(scope, Exit.void)
    yield* Effect.forEach(fibers, Fiber.join)
    assert.lengthOf(
      yield* withStore(file, ({ readAll }) => readAll({ after: beginning, limit: 1000 })),
      600
    )
  })

  it.effect("is refused when its format is newer", function* () {
    const file = yield* tempLog
    yield* withStore(file, ({ append }) => append("a", "no-stream", newEvents(1)))
    const db = new DatabaseSync(file)
    db.exec("UPDATE meta SET value = '2' WHERE key = 'format'")
    db.close()
    for (const layer of [layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly]) {
      const { reason, text } = yield* refusalOf(layer({ file }))
      assert.strictEqual(reason, "unavailable")
      assert.include(text, "has format 2, this version of SlipTrail reads up to 1")
    }
  })

  it.effect("is refused when it is another program's database or not a database", function* () {
    const [other, text] = [yield* tempLog, yield* tempLog]
    mkdirSync(dirname(other))
    const db = new DatabaseSync(other)
    db.exec("CREATE TABLE customers(name TEXT)")
    db.close()
    mkdirSync(dirname(text))
    writeFileSync(text, "Dear diary, today I appended nothing at all. ".repeat(100))
    for (const layer of [layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly]) {
      assert.include((yield* refusalOf(layer({ file: other }))).text, "no event log of SlipTrail")
      assert.strictEqual((yield* refusalOf(layer({ file: text }))).reason, "corrupt")
    }
  })

  it.effect("is refused when its folder can't be created", function* () {
    const file = yield* tempLog
    writeFileSync(dirname(file), "a file where the folder should be")
    assert.strictEqual((yield* refusalOf(layerEventStoreEmbedded({ file }))).reason, "unavailable")
  })

  it.effect("must exist and rejects appends when it is opened read-only", function* () {
    const file = yield* tempLog
    const layer = layerEventStoreEmbeddedReadOnly({ file })
    const { text } = yield* refusalOf(layer)
    assert.include(text, "start the service once, or set DATA_DIR")
    assert.isFalse(existsSync(dirname(file)))
    yield* withStore(file, ({ append }) => append("a", "no-stream", newEvents(2)))
    yield* Effect.gen(function* () {
      const { append, head, readStream } = yield* EventStore
      const error = yield* Effect.flip(append("a", 1, newEvents(1)))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "unavailable" })
      assert.lengthOf(yield* readStream("a"), 2)
      assert.deepStrictEqual(yield* head, { commit: 2n, prepare: 2n })
    }).pipe(Effect.provide(layer))
  })

  it.effect("has a readable view for analysts", function* () {
    const file = yield* tempLog
    yield* withStore(file, ({ append }) => append("slip-1", "no-stream", newEvents(1)))
    const db = new DatabaseSync(file, { readOnly: true })
    const row = db.prepare("SELECT * FROM event_log").get()
    db.close()
    assert.deepInclude({ ...row }, { position: 1, stream: "slip-1", revision: 0, type: "ContractTested" })
    assert.match(String(row?.["recorded_at"]), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
  })
})
