import { assert, describe, it } from "../../support/it.ts"
import { Clock, Context, Effect, Fiber, Layer, Logger, Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Aggregate } from "../../../domain/events/aggregates.ts"
import { EventMetadata } from "../../../domain/events/recorded-event.ts"
import { eventCodec } from "../../../domain/events/event-codec.ts"
import { type CommandContext, handleCommand, load } from "../../../application/events/handle-command.ts"
import { EventStore, EventStoreError, WrongExpectedRevision } from "../../../ports/event-store.ts"
import { layerIdentifiers } from "../../../infrastructure/adapters/keys/identifiers.ts"
import { APPEND_TRY_MILLIS } from "../../../ports/log-waits.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"
import { untilDone } from "../../support/advance-clock.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { layerPorts } from "../../support/ports.ts"

/** A jar that holds at most ten sweets. */
const JarEvent = Schema.TaggedUnion({ SweetsPut: { count: Schema.Int } })
type JarEvent = typeof JarEvent.Type
class JarFull extends Schema.TaggedError<JarFull>()("JarFull", {}) {}

const jar: Aggregate<{ readonly put: number }, number, JarEvent, JarFull> = {
  decider: {
    initialState: 0,
    evolve: (sweets, { count }) => sweets + count,
    decide: ({ put }, sweets) => {
      if (sweets + put > 10) return Result.fail(new JarFull())
      return Result.succeed(put === 0 ? [] : [JarEvent.cases.SweetsPut.make({ count: put })])
    },
    isTerminal: () => false
  },
  codec: eventCodec(JarEvent)
}

const context = (commandId: string): CommandContext => ({
  commandId,
  correlationId: "correlation",
  actor: { kind: "system", id: "test" },
  at: 0
})

const appendFails = (reason: EventStoreError["reason"]) =>
  Effect.fail(new EventStoreError({ operation: "append", reason }))

/** A log in memory whose appends the test replaces, with the number of attempted appends. */
const given = Effect.gen(function* () {
  const inside = Context.get(yield* Layer.build(layerEventStoreMemory), EventStore)
  type Append = EventStore["Service"]["append"]
  const stub: { append: Append; reads: Array<number>; tries: number } = { append: inside.append, reads: [], tries: 0 }
  const store = EventStore.of({
    ...inside,
    append: (...args) =>
      Effect.suspend(() => {
        stub.tries++
        return stub.append(...args)
      }),
    readStream: (stream, options) => {
      stub.reads.push(options?.from ?? 0)
      return inside.readStream(stream, options)
    }
  })
  const put = (count: number, commandId = `command-${count}`) =>
    handleCommand(jar, "jar-1", { put: count }, context(commandId)).pipe(
      Effect.provideService(EventStore, store),
      Effect.provide(layerIdentifiers)
    )
  const sweets = Effect.map(Effect.provideService(load(jar, "jar-1"), EventStore, store), ({ state }) => state)
  return { inside, stub, put, sweets }
})

describe("handling a command", () => {
  it.effect("appends the decided events and returns the state before and after", function* () {
    const { put, sweets } = yield* given
    const first = yield* put(3)
    const second = yield* put(4)
    assert.deepStrictEqual(first, { before: 0, events: [{ _tag: "SweetsPut", count: 3 }], after: 3 })
    assert.deepStrictEqual([second.before, second.after], [3, 7])
    assert.strictEqual(yield* sweets, 7)
  })

  it.effect("appends nothing when the command has no effect or is rejected", function* () {
    const { stub, put, sweets } = yield* given
    assert.deepStrictEqual((yield* put(0)).events, [])
    assert.strictEqual((yield* Effect.flip(put(11)))._tag, "JarFull")
    assert.strictEqual(stub.tries, 0)
    assert.strictEqual(yield* sweets, 0)
  })

  it.effect("decides again with the events of a concurrent append, and reads only those", function* () {
    const { stub, inside, put, sweets } = yield* given
    yield* put(3)
    stub.append = (...args) => {
      stub.append = inside.append
      return Effect.andThen(Effect.orDie(put(5)), inside.append(...args))
    }
    stub.reads = []

    const handled = yield* put(2)

    assert.deepStrictEqual([handled.before, handled.after], [8, 10])
    assert.strictEqual(yield* sweets, 10)
    assert.deepStrictEqual(stub.reads.slice(0, 3), [0, 0, 1])
  })

  it.effect("is rejected when a concurrent append makes the command invalid", function* () {
    const { stub, inside, put, sweets } = yield* given
    stub.append = (...args) => {
      stub.append = inside.append
      return Effect.andThen(Effect.orDie(put(9)), inside.append(...args))
    }
    assert.strictEqual((yield* Effect.flip(put(2)))._tag, "JarFull")
    assert.strictEqual(yield* sweets, 9)
  })

  it.effect("never breaks an invariant under concurrent commands", function* () {
    const { put, sweets } = yield* given
    const running = yield* Effect.forkChild(
      Effect.forEach(Array(30).keys(), (index) => Effect.exit(put(1, `command-${index}`)), {
        concurrency: "unbounded"
      })
    )
    yield* untilDone(running)
    const exits = yield* Fiber.join(running)
    assert.lengthOf(exits.filter(({ _tag }) => _tag === "Success"), 10)
    assert.strictEqual(yield* sweets, 10)
  })

  it.effect("fails with a conflict after many concurrent appends", function* () {
    const { stub, put } = yield* given
    stub.append = (stream, expected) =>
      Effect.fail(
        new WrongExpectedRevision({ stream, expected, actual: "no-stream" })
      )
    const running = yield* Effect.forkChild(Effect.flip(put(1)))
    yield* untilDone(running)
    assert.strictEqual((yield* Fiber.join(running))._tag, "WrongExpectedRevision")
    assert.isAbove(stub.tries, 20)
  })

  it.effect.each(["unavailable", "timeout"] as const)("repeats an append of unknown outcome: %s", function* (reason) {
    const { stub, inside, put, sweets } = yield* given
    stub.append = () => {
      stub.append = inside.append
      return appendFails(reason)
    }
    const running = yield* Effect.forkChild(put(3))
    yield* untilDone(running)
    assert.strictEqual((yield* Fiber.join(running)).after, 3)
    assert.strictEqual(yield* sweets, 3)
  })

  it.effect.each(["disk-full", "corrupt"] as const)(
    "does not repeat an append that certainly changed nothing: %s",
    function* (reason) {
      const { stub, put } = yield* given
      stub.append = () => appendFails(reason)
      assert.deepInclude({ ...(yield* Effect.flip(put(3))) }, { _tag: "EventStoreError", reason })
      assert.strictEqual(stub.tries, 1)
    }
  )

  it.effect("repeats an append with the same ids, so that a committed append counts once", function* () {
    const { stub, inside, put, sweets } = yield* given
    stub.append = (...args) => {
      stub.append = inside.append
      return Effect.andThen(inside.append(...args), appendFails("timeout"))
    }
    const running = yield* Effect.forkChild(put(3))
    yield* untilDone(running)
    assert.strictEqual((yield* Fiber.join(running)).after, 3)
    assert.strictEqual(yield* sweets, 3)
    assert.strictEqual(stub.tries, 2)
  })

  it.effect("does not repeat an append to a store that hangs", function* () {
    const { stub, put } = yield* given
    stub.append = () => Effect.delay(appendFails("timeout"), "3 seconds")
    const running = yield* Effect.forkChild(Effect.flip(put(3)))
    yield* untilDone(running)
    assert.deepInclude({ ...(yield* Fiber.join(running)) }, { _tag: "EventStoreError", reason: "timeout" })
    assert.strictEqual(stub.tries, 1)
  })

  it.effect("outlasts a log that is silent for two seconds", function* () {
    const { stub, inside, put, sweets } = yield* given
    const begun = yield* Clock.currentTimeMillis
    stub.append = (...args) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const left = begun + 2_000 - now
        return left > APPEND_TRY_MILLIS
          ? Effect.delay(appendFails("timeout"), APPEND_TRY_MILLIS)
          : Effect.andThen(Effect.sleep(Math.max(0, left)), inside.append(...args))
      })
    const running = yield* Effect.forkChild(put(3))
    yield* untilDone(running)
    assert.strictEqual((yield* Fiber.join(running)).after, 3)
    assert.strictEqual(yield* sweets, 3)
  })

  it.effect("begins no try of an append more than 1.8 seconds after the first one", function* () {
    const { stub, put } = yield* given
    stub.append = () => Effect.delay(appendFails("timeout"), "600 millis")
    const running = yield* Effect.forkChild(Effect.flip(put(3)))
    yield* untilDone(running)
    assert.deepInclude({ ...(yield* Fiber.join(running)) }, { _tag: "EventStoreError", reason: "timeout" })
    assert.strictEqual(stub.tries, 3)
  })

  it.effect("fails when the log stays unavailable", function* () {
    const { stub, put } = yield* given
    stub.append = () => appendFails("unavailable")
    const running = yield* Effect.forkChild(Effect.flip(put(3)))
    yield* untilDone(running)
    assert.deepInclude({ ...(yield* Fiber.join(running)) }, { _tag: "EventStoreError", reason: "unavailable" })
    assert.strictEqual(stub.tries, 7)
  })

  it.effect("loses twenty races in a row, and then appends", function* () {
    const { inside, stub, put } = yield* given
    let races = 0
    stub.append = (stream, expected, events) =>
      Effect.gen(function* () {
        if (races === 20) return yield* inside.append(stream, expected, events)
        races++
        const others = events.map((event) => ({ ...event, id: randomUUID(), data: { count: 0 } }))
        const { revision } = yield* inside.append(stream, expected, others)
        return yield* new WrongExpectedRevision({ stream, expected, actual: revision })
      })
    const running = yield* Effect.forkChild(put(3))
    yield* untilDone(running)
    assert.strictEqual((yield* Fiber.join(running)).after, 3)
    assert.strictEqual(races, 20)
  })

  it.effect("fails with corrupt soon, and says so, when a stream has events that no read finds", function* () {
    const { stub, put } = yield* given
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    stub.append = (stream, expected) => Effect.fail(new WrongExpectedRevision({ stream, expected, actual: 5 }))
    const begun = yield* Clock.currentTimeMillis
    const running = yield* Effect.forkChild(Effect.provide(Effect.flip(put(3)), Logger.layer([logger])))
    yield* untilDone(running)
    const error = yield* Fiber.join(running)
    assert.deepInclude({ ...error }, { _tag: "EventStoreError", operation: "append", reason: "corrupt" })
    assert.match(
      String("cause" in error ? error.cause : ""),
      /has event 5 in the event store, and a read does not find it/u
    )
    assert.isBelow((yield* Clock.currentTimeMillis) - begun, 500)
    assert.lengthOf(lines, 1)
  })

  it.effect("stores the caller's own id of the request, if there is one", () =>
    Effect.gen(function* () {
      const put = (commandId: string, ids: Partial<CommandContext>) =>
        handleCommand(jar, "jar-1", { put: 1 }, { ...context(commandId), ...ids })
      yield* put("command-1", {})
      yield* put("command-2", { clientRequestId: undefined })
      yield* put("command-3", { clientRequestId: "order-7" })
      const recorded = yield* (yield* EventStore).readStream("jar-1")
      const stored = recorded.map(({ metadata }) => metadata)
      assert.deepStrictEqual(stored.map(({ clientRequestId }) => clientRequestId), [undefined, undefined, "order-7"])
      assert.deepStrictEqual(stored.map((metadata) => "clientRequestId" in metadata), [false, false, true])
      // Events from before the field, and with it.
      for (const metadata of stored) {
        assert.deepStrictEqual(yield* Schema.decodeEffect(EventMetadata)(metadata), metadata)
        assert.deepStrictEqual(yield* Schema.encodeUnknownEffect(EventMetadata)(metadata), metadata)
      }
    }).pipe(Effect.provide(layerPorts())))

  it.effect("dies on an unknown event", function* () {
    const { inside, put } = yield* given
    yield* inside.append("jar-1", "no-stream", [someEvent("1", "JarBroken")])
    const exit = yield* Effect.exit(put(1))
    assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
  })
})
