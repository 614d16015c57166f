import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type Position } from "../../../../../domain/events/recorded-event.ts"
import { layerStandstill, missing } from "../../../../../infrastructure/web/http/server/health.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { Vault } from "../../../../../ports/vault.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import { layerRequireLog } from "../../../../../projections/engine/readiness.ts"
import { projections } from "../../../../../projections/models/all.ts"
import { someEvent } from "../../../../support/event-fixtures.ts"
import { layerEventStoreMemory } from "../../../../support/memory-event-store.ts"
import { makeShiftedClock } from "../../../../support/shifted-clock.ts"
import { layerTemporaryReadModels } from "../../../../support/temporary-read-models.ts"

const needed = projections.filter(({ isFirst }) => isFirst === true)

const append = (id: string) =>
  EventStore.use(({ append }) => append(`stream-${id}`, "no-stream", [someEvent(id, "ServiceCreated", {})]))

/** Lets each model, except `stuck`, apply the log up to a position. */
const project = (upTo: Position, stuck?: string) =>
  ReadModels.use(({ apply, checkpoint }) =>
    Effect.forEach(
      needed.filter(({ name }) => name !== stuck),
      (model) =>
        Effect.flatMap(checkpoint(modelName(model)), (after) => apply(modelName(model), { after, upTo, writes: [] }))
    )
  )

/** What each check says while they are made every five seconds. */
const checkFor = Effect.fnUntraced(function* (seconds: number) {
  const found: Array<ReadonlyArray<string>> = []
  for (let passed = 0; passed < seconds; passed += 5) {
    yield* TestClock.adjust("5 seconds")
    found.push(yield* missing)
  }
  return found
})

const layerVault = Layer.mock(Vault)({ available: Effect.void, digest: () => "" })

const run = Effect.provide(
  Layer.fresh(Layer.mergeAll(layerEventStoreMemory, layerTemporaryReadModels, layerVault, layerStandstill))
)

const standsStill = (name: string) => (fault: string) =>
  fault.includes(`read model ${name}`) && fault.includes("stands still")

describe("whether a process can serve", () => {
  it.effect("is denied while a read model that requests wait for stands still, however it came to that", () =>
    Effect.gen(function* () {
      const { position } = yield* append("first")
      yield* Layer.build(layerRequireLog(needed))
      assert.isNotEmpty(yield* missing, "no model has the log of the start")
      yield* project(position)
      assert.isEmpty(yield* missing)

      const later = yield* append("later")
      yield* project(later.position, "branches")
      assert.isEmpty((yield* checkFor(30)).flat(), "a projector may be starting again")
      const [faults = []] = yield* checkFor(5)
      assert.isTrue(faults.length === 1 && faults.every(standsStill("branches")), JSON.stringify(faults))
      assert.include(faults[0], "30 seconds")

      // Other models go on, and the log does.
      yield* project((yield* append("much later")).position, "branches")
      for (const faults of yield* checkFor(60)) assert.isTrue(faults.some(standsStill("branches")))

      yield* project((yield* append("last")).position)
      assert.isEmpty(yield* missing)
      assert.isEmpty((yield* checkFor(300)).flat(), "a log without new events")
    }).pipe(Effect.scoped, run))

  it.effect.each([-3_600_000, 3_600_000])(
    "does not depend on a clock that is set by %d ms",
    (millis) =>
      Effect.gen(function* () {
        yield* project((yield* append("first")).position)
        yield* append("later")
        const clock = yield* makeShiftedClock(0)
        yield* Effect.gen(function* () {
          assert.isEmpty((yield* checkFor(15)).flat())
          clock.advance(millis)
          assert.isEmpty((yield* checkFor(15)).flat())
          assert.lengthOf((yield* checkFor(5)).flat(), needed.length)
        }).pipe(Effect.provide(clock.layer))
      }).pipe(run)
  )

  it.effect("is not denied while a model moves, however far behind it is", () =>
    Effect.gen(function* () {
      const positions: Array<Position> = [beginning]
      for (let index = 0; index < 40; index++) positions.push((yield* append(`event ${index}`)).position)
      for (const position of positions.slice(1, 20)) {
        yield* project(position)
        assert.isEmpty((yield* checkFor(25)).flat())
      }
    }).pipe(run))
})
