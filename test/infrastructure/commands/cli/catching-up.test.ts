import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Layer } from "effect"
import { isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { layerUpToDate } from "../../../../infrastructure/commands/cli/store-layers.ts"
import { projections } from "../../../../projections/models/all.ts"
import { layerEventStoreMemory } from "../../../support/memory-event-store.ts"
import { someEvent } from "../../../support/event-fixtures.ts"

/** Events of the log. A model applies one of them per wait. */
const EVENTS = 12

const layerLog = Layer.effectDiscard(Effect.gen(function* () {
  const { append } = yield* EventStore
  for (let index = 0; index < EVENTS; index++) {
    yield* append(`stream-${index}`, "no-stream", [someEvent(`event-${index}`, "ServiceCreated", {})])
  }
})).pipe(Layer.provideMerge(layerEventStoreMemory), Layer.fresh)

/** Read models that apply one event per wait, up to `most` events. */
const layerSlowModels = (maxEvents: number) => {
  const waits = new Map<string, number>()
  const at = (model: string): Position => {
    const commit = BigInt(Math.min(waits.get(model) ?? 0, maxEvents))
    return { commit, prepare: commit }
  }
  return Layer.mock(ReadModels)({
    checkpoint: (model) => Effect.sync(() => at(model)),
    awaitPosition: (model, position) =>
      Effect.suspend(() => {
        if (!isBefore(at(model), position)) return Effect.void
        waits.set(model, (waits.get(model) ?? 0) + 1)
        return new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
      })
  })
}

const caughtUp = (maxEvents: number) =>
  Effect.gen(function* () {
    const head = yield* (yield* EventStore).head
    const models = yield* ReadModels
    yield* Layer.build(layerUpToDate)
    for (const { name, version } of projections) {
      assert.isFalse(isBefore(yield* models.checkpoint(`${name}.v${version}`), head), name)
    }
  }).pipe(Effect.provide(Layer.merge(layerLog, layerSlowModels(maxEvents))))

describe("a command that reads stores whose read models are behind", () => {
  it.effect("waits while the read models make progress", () => caughtUp(EVENTS))

  it.effect("fails when the read models make no progress", function* () {
    const error = yield* Effect.flip(caughtUp(EVENTS - 1))
    assert.deepInclude(error, { _tag: "ReadModelsError", reason: "behind" })
  })
})
