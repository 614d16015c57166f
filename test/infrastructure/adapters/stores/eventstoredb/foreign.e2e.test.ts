import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Queue, Stream } from "effect"
import { join } from "node:path"
import { streamOf } from "../../../../../domain/events/aggregates.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import { beginning, isBefore } from "../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { layerRequireLog, whenReady } from "../../../../../projections/engine/readiness.ts"
import { streamPrefixes } from "../../../../../infrastructure/adapters/stores/eventstoredb/store.ts"
import { layerLeasesMemory } from "../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerReadModelsEmbedded } from "../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import { layerProjector } from "../../../../../projections/engine/projector.ts"
import { newEvent, newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../../support/eventstore-server/process.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { addressOf, layerAt, on } from "./given-server.ts"

describe("an EventStoreDB that other applications write to", () => {
  it.live("returns only the service's events, and its head is the service's last event", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, head, readAll } = yield* EventStore
      yield* server.foreign("$stats-127.0.0.1", 100)
      assert.deepStrictEqual(yield* head, beginning)
      assert.deepStrictEqual(yield* readAll({ after: beginning, limit: 10 }), [])

      const stream = newStream()
      yield* append(stream, "no-stream", newEvents(2))
      yield* server.foreign("order-1", 100)
      const { position } = yield* append(stream, 1, newEvents(1))
      yield* server.foreign("$$order-1", 100)

      assert.deepStrictEqual(yield* head, position)
      const events = yield* readAll({ after: beginning, limit: 10 })
      assert.deepStrictEqual(events.map(({ revision }) => revision), [0, 1, 2])
      assert.deepStrictEqual(yield* readAll({ after: position, limit: 10 }), [])
    }).pipe(on(server))
  })

  it.live("continues a subscription after many foreign events and a broken connection", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, subscribe } = yield* EventStore
      const seen = yield* Queue.unbounded<string>()
      yield* subscribe({ after: beginning }).pipe(
        Stream.runForEach((page) => Queue.offerAll(seen, page.map(({ id }) => id))),
        Effect.forkScoped
      )
      const [stream, one, two, three] = [newStream(), newEvent(), newEvent(), newEvent()]
      yield* append(stream, "no-stream", [one])
      // More events than the server reads between two checkpoints.
      yield* server.foreign("$stats-127.0.0.1", 3_000)
      yield* append(stream, 0, [two])
      assert.deepStrictEqual(yield* Queue.takeN(seen, 2), [one.id, two.id])
      yield* server.foreign("$stats-127.0.0.1", 3_000)
      yield* server.cut
      yield* Effect.retry(append(stream, 1, [three]), { times: 5 })
      assert.strictEqual(yield* Queue.take(seen), three.id)
    }).pipe(on(server))
  })

  it.live("lets a read model catch up with the head, also after a restart of the service", function* () {
    const server = yield* startServerProcess()
    const folder = yield* temporaryFolder
    const layerService = () =>
      Layer.merge(layerRequireLog([counting]), layerProjector([counting])).pipe(
        Layer.provideMerge(layerReadModelsEmbedded({ file: join(folder, "models.db") })),
        Layer.provideMerge(layerAt(addressOf(server))),
        Layer.provide(layerLeasesMemory)
      )
    const ready = whenReady(counting)
    const stream = newStream()

    yield* server.foreign("$stats-127.0.0.1", 10)
    yield* Effect.gen(function* () {
      yield* ready
      const { append, head } = yield* EventStore
      yield* append(stream, "no-stream", newEvents(5))
      yield* server.foreign("order-1", 500)
      yield* (yield* ReadModels).awaitPosition(modelName(counting), yield* head, 10_000)
    }).pipe(Effect.provide(layerService()))

    yield* server.foreign("order-1", 500)
    yield* Effect.gen(function* () {
      yield* ready
      const models = yield* ReadModels
      const { head } = yield* EventStore
      assert.isFalse(isBefore(yield* models.checkpoint(modelName(counting)), yield* head))
      assert.strictEqual(yield* models.count(modelName(counting), "seen"), 5)
    }).pipe(Effect.provide(layerService()))
  })

  it.live("stops a subscriber at an unreadable event in one of the service's streams", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { readStream, subscribe } = yield* EventStore
      yield* server.foreign("job-of-another-app", 1)
      const error = yield* Effect.flip(Stream.runDrain(subscribe({ after: beginning })))
      assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "corrupt" })
      assert.strictEqual((yield* Effect.flip(readStream("job-of-another-app"))).reason, "corrupt")
    }).pipe(on(server))
  })
})

describe("the streams of this service", () => {
  it("are all in the log", () => {
    for (const nameOf of Object.values(streamOf)) {
      const name = nameOf("one", "two")
      assert.isTrue(streamPrefixes.some((prefix) => name.startsWith(prefix)), name)
    }
  })
})

describe("an append that EventStoreDB would reject", () => {
  it.live("is a defect of the caller, with its size, when it is larger than a mebibyte", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append, readStream } = yield* EventStore
      const stream = newStream()
      const halves = [newEvent({ text: "x".repeat(600_000) }), newEvent({ text: "x".repeat(600_000) })]
      const defect = yield* append(stream, "no-stream", halves).pipe(Effect.catchDefect(Effect.succeed))
      assert.match(String(defect), /an append of 12\d{5} bytes to .* is larger than the event store takes/u)
      assert.lengthOf(yield* readStream(stream), 0)
      yield* append(stream, "no-stream", halves.slice(1))
    }).pipe(on(server))
  })

  it.live("is a defect of the caller when its stream is not part of the log", function* () {
    const server = yield* startServerProcess()
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const defect = yield* append("order-1", "no-stream", newEvents(1)).pipe(Effect.catchDefect(Effect.succeed))
      assert.include(String(defect), "order-1 is no stream of this log")
    }).pipe(on(server))
  })
})

const counting: Projection = {
  name: "counting",
  version: 1,
  streams: ["contract-"],
  when: ({ id, revision }) => [{ _tag: "AddMember", set: "seen", member: id, score: revision }]
}
