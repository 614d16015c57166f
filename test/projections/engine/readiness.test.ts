import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { beginning, type Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { SoleWriter } from "../../../ports/sole-writer.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { isReady, layerRequireLog, whenReady } from "../../../projections/engine/readiness.ts"
import { untilDone } from "../../support/advance-clock.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"
import { layerPorts } from "../../support/ports.ts"

const model = { name: "jobs", version: 1 }
const other = { name: "callbacks", version: 1 }

const append = (id: string) =>
  EventStore.use(({ append }) => append(`stream-${id}`, "no-stream", [someEvent(id, "ServiceCreated", {})]))

const applyUpTo = (upTo: Position) =>
  ReadModels.use(({ apply, checkpoint }) =>
    Effect.flatMap(checkpoint(modelName(model)), (after) => apply(modelName(model), { after, upTo, writes: [] }))
  )

/** A log with one event, whose position it returns, when the process starts. */
const start = Effect.gen(function* () {
  const { position } = yield* append("before the start")
  yield* Layer.build(layerRequireLog([model, other]))
  return position
})

const run = Effect.provide(layerPorts())

describe("readiness", () => {
  it.effect("is false until a model has the events that were in the log at the start", () =>
    Effect.gen(function* () {
      const head = yield* start
      assert.isFalse(yield* isReady(model))
      const early = yield* Effect.forkChild(Effect.flip(whenReady(model)))
      yield* untilDone(early)
      assert.propertyVal(yield* Fiber.join(early), "reason", "behind")

      yield* applyUpTo(head)
      assert.isTrue(yield* isReady(model))
      yield* whenReady(model)
      assert.isFalse(yield* isReady(other), "each model is ready on its own")
    }).pipe(run))

  it.effect("does not wait for later events", () =>
    Effect.gen(function* () {
      yield* applyUpTo(yield* start)
      yield* append("after the start")
      assert.isTrue(yield* isReady(model))
      yield* whenReady(model)
    }).pipe(run))

  it.effect("is false while a model is rebuilt up to its high-water mark", () =>
    Effect.gen(function* () {
      yield* applyUpTo(yield* start)
      const { position } = yield* append("after the start")
      yield* applyUpTo(position)
      yield* ReadModels.use(({ clear }) => clear(modelName(model), position))
      assert.isFalse(yield* isReady(model))
      yield* applyUpTo(position)
      assert.isTrue(yield* isReady(model))
    }).pipe(run))

  it.effect("is false of a model that was ahead of the log of this process, also after appends have filled the gap", () =>
    Effect.gen(function* () {
      const { position } = yield* append("before the start")
      yield* applyUpTo({ commit: position.commit + 1n, prepare: position.prepare + 1n })
      const ownLog = Layer.succeed(SoleWriter, { settled: Effect.void, headAfter: () => Effect.never })
      yield* Layer.build(Layer.provide(layerRequireLog([model, other]), ownLog))
      for (const id of ["one", "two"]) yield* append(id)
      assert.isFalse(yield* isReady(model))
      assert.deepStrictEqual(yield* ReadModels.use(({ checkpoint }) => checkpoint(modelName(model))), beginning)
    }).pipe(run))

  it.effect("is false of a model that was built from another log, however short", () =>
    Effect.gen(function* () {
      const ownLog = Layer.succeed(SoleWriter, { settled: Effect.void, headAfter: () => Effect.never })
      const startOn = (id: string, log: EventStore["Service"]) =>
        Effect.gen(function* () {
          const { position } = yield* append(id)
          yield* Layer.build(Layer.provide(layerRequireLog([model]), ownLog))
          return position
        }).pipe(Effect.provideService(EventStore, log))
      const logs = yield* Effect.all([1, 2].map(() => Effect.provide(EventStore, Layer.fresh(layerEventStoreMemory))))
      const [one = assert.fail(), two = assert.fail()] = logs

      yield* applyUpTo(yield* startOn("one", one))
      yield* startOn("more", one)
      assert.notDeepEqual(yield* ReadModels.use(({ checkpoint }) => checkpoint(modelName(model))), beginning)
      for (const id of ["a", "b"]) yield* startOn(id, two)
      assert.deepStrictEqual(yield* ReadModels.use(({ checkpoint }) => checkpoint(modelName(model))), beginning)
      assert.isFalse(yield* Effect.provideService(isReady(model), EventStore, two))
    }).pipe(run))

  it.effect("is true on an empty log", () =>
    Effect.gen(function* () {
      yield* Layer.build(layerRequireLog([model]))
      assert.deepStrictEqual(yield* ReadModels.use(({ checkpoint }) => checkpoint(modelName(model))), beginning)
      assert.isTrue(yield* isReady(model))
    }).pipe(run))
})
