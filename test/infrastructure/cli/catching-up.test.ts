import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { layerUpToDate } from "../../../infrastructure/cli/stores.ts"
import { projections } from "../../../projections/models/all.ts"
import { layerEventStoreMemory } from "../../support/memory-event-store.ts"
import { someEvent } from "../../support/event-fixtures.ts"

/** Events, each of which costs a model one whole look. */
const EVENTS = 12

const layerLog = Layer.effectDiscard(Effect.gen(function* () {
  const { append } = yield* EventStore
  for (let index = 0; index < EVENTS; index++) {
    yield* append(`stream-${index}`, "no-stream", [someEvent(`event-${index}`, "ServiceCreated", {})])
  }
})).pipe(Layer.provideMerge(layerEventStoreMemory), Layer.fresh)

/** Models that have one event more with each look at them, up to this many. */
const layerSlowModels = (most: number) => {
  const looks = new Map<string, number>()
  const at = (model: string): Position => {
    const commit = BigInt(Math.min(looks.get(model) ?? 0, most))
    return { commit, prepare: commit }
  }
  return Layer.mock(ReadModels)({
    checkpoint: (model) => Effect.sync(() => at(model)),
    awaitPosition: (model, position) =>
      Effect.suspend(() => {
        if (!isBefore(at(model), position)) return Effect.void
        looks.set(model, (looks.get(model) ?? 0) + 1)
        return new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
      })
  })
}

const caughtUp = (most: number) =>
  Effect.gen(function* () {
    const head = yield* (yield* EventStore).head
    const models = yield* ReadModels
    yield* Layer.build(layerUpToDate)
    for (const { name, version } of projections) {
      assert.isFalse(isBefore(yield* models.checkpoint(`${name}.v${version}`), head), name)
    }
  }).pipe(Effect.provide(Layer.merge(layerLog, layerSlowModels(most))))

describe("a command that reads stores whose read models are behind", () => {
  it.effect("waits while the read models make progress", () => caughtUp(EVENTS))

  it.effect("fails when the read models make no progress", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(caughtUp(EVENTS - 1))
      assert.deepInclude(error, { _tag: "ReadModelsError", reason: "behind" })
    }))
})
