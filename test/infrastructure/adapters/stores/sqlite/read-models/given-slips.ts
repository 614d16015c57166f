import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import { ReadModels } from "../../../../../../ports/read-models.ts"
import { compare } from "../../../../../../projections/engine/compare.ts"
import { modelName } from "../../../../../../projections/engine/model-name.ts"
import { projections } from "../../../../../../projections/models/all.ts"
import { slipEvents } from "../../../../../support/slip-events.ts"

/** Appends verified slips. */
export const appendSlips = Effect.fnUntraced(function* (count: number) {
  const store = yield* EventStore
  yield* Effect.forEach(slipEvents(count), ({ event, stream }) => store.append(stream, "no-stream", [event]), {
    concurrency: 64,
    discard: true
  })
})

/** Waits until every model has the whole log. */
export const allCaughtUp = Effect.gen(function* () {
  const models = yield* ReadModels
  const head = yield* (yield* EventStore).head
  for (const projection of projections) yield* models.awaitPosition(modelName(projection), head, 60_000)
})

/** A model equals a replay of the log. */
export const assertSame = Effect.fnUntraced(function* (projection: typeof projections[number], folder: string) {
  const dump = yield* (yield* ReadModels).dump(modelName(projection))
  const scratch = Layer.fresh(layerReadModelsEmbedded({ file: join(folder, `${crypto.randomUUID()}.db`) }))
  const fresh = Context.get(yield* Layer.build(scratch), ReadModels)
  const { missing, surplus } = yield* compare(projection, fresh, dump, Infinity)
  assert.deepStrictEqual([missing, surplus], [[], []])
})

/**
 * Every model was built from the log, as the messages of a service tell. On a busy machine some models can be asked for so
 * late that a second build makes them. Returns the models of each build, in the order in which they were complete.
 */
export const assertAllBuilt = (logged: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const builds = logged.filter((message) => message.includes("built from the log"))
    .map((message) => message.split(": ")[1]?.split(", ") ?? [])
  assert.sameMembers(builds.flat(), projections.map(modelName))
  return builds
}

/** In each build, the models that requests wait for are the first ones. */
export const assertRequestedFirst = (builds: ReadonlyArray<ReadonlyArray<string>>): void => {
  const requested = new Set(projections.filter(({ isFirst }) => isFirst === true).map(modelName))
  for (const built of builds) {
    const others = built.findIndex((model) => !requested.has(model))
    assert.isFalse(others >= 0 && built.slice(others).some((model) => requested.has(model)), built.join(", "))
  }
}
