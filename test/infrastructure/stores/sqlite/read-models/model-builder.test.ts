import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { join } from "node:path"
import { layerLeasesMemory } from "../../../../../infrastructure/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../../../infrastructure/stores/sqlite/events/store.ts"
import { layerModelBuilder } from "../../../../../infrastructure/stores/sqlite/read-models/model-builder.ts"
import { layerReadModelsEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/read-models.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { compare } from "../../../../../projections/engine/compare.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import { layerProjector } from "../../../../../projections/engine/projector.ts"
import { rebuild } from "../../../../../projections/engine/rebuild.ts"
import { projections } from "../../../../../projections/models/all.ts"
import { slipEvents } from "../../../../bench/store/slip-events.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"

const EVENTS = 700

describe("building read models in threads", () => {
  it.live("gives a projector all lost models at once, equal to a replay of the log", () =>
    Effect.gen(function* () {
      const { folder, logged, logger } = yield* given
      yield* Effect.provide(fill, stores(folder))
      yield* Effect.gen(function* () {
        yield* allCaughtUp
        // Later events come in batches.
        yield* fill
        yield* allCaughtUp
        for (const projection of projections) yield* assertSame(projection, folder)
      }).pipe(Effect.provide(projecting(folder, logger)))
      const [message] = logged.filter((text) => text.includes("built from the log"))
      for (const projection of projections) assert.include(message, modelName(projection))
    }))

  it.live("rebuilds a model as a shadow model", () =>
    Effect.gen(function* () {
      const { folder } = yield* given
      yield* Effect.gen(function* () {
        yield* fill
        for (const projection of projections) {
          yield* rebuild(projection)
          yield* assertSame(projection, folder)
        }
      }).pipe(Effect.provide(stores(folder)))
    }))

  it.live("leaves nothing that stops the next build when it is interrupted", () =>
    Effect.gen(function* () {
      const { folder } = yield* given
      yield* Effect.gen(function* () {
        yield* fill
        for (const projection of projections.slice(0, 3)) {
          const building = yield* Effect.forkChild(rebuild(projection))
          yield* Effect.yieldNow
          yield* Fiber.interrupt(building)
          yield* rebuild(projection)
          yield* assertSame(projection, folder)
        }
      }).pipe(Effect.provide(stores(folder)))
    }))

  it.live("does not build from a short log", () =>
    Effect.gen(function* () {
      const { folder, logged, logger } = yield* given
      yield* Effect.provide(fill, stores(folder))
      yield* Effect.provide(allCaughtUp, projecting(folder, logger, EVENTS + 1))
      assert.deepStrictEqual(logged.filter((text) => text.includes("built from the log")), [])
    }))
})

const given = Effect.map(temporaryFolder, (folder) => {
  const logged: Array<string> = []
  return { folder, logged, logger: Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]) }
})

const stores = (folder: string, leastEvents = 1) => {
  const [log, file] = [join(folder, "events.db"), join(folder, "models.db")]
  return layerModelBuilder({ log, file, leastEvents }).pipe(
    Layer.provideMerge(layerReadModelsEmbedded({ file })),
    Layer.merge(layerLeasesMemory),
    Layer.provideMerge(layerEventStoreEmbedded({ file: log }))
  )
}

const projecting = (folder: string, logger: Layer.Layer<never>, leastEvents?: number) =>
  layerProjector(projections).pipe(Layer.provideMerge(stores(folder, leastEvents)), Layer.provideMerge(logger))

const fill = Effect.gen(function* () {
  const store = yield* EventStore
  yield* Effect.forEach(slipEvents(EVENTS), ({ event, stream }) => store.append(stream, "no-stream", [event]), {
    concurrency: 64,
    discard: true
  })
})

const allCaughtUp = Effect.gen(function* () {
  const models = yield* ReadModels
  const head = yield* (yield* EventStore).head
  for (const projection of projections) yield* models.awaitPosition(modelName(projection), head, 60_000)
})

const assertSame = Effect.fnUntraced(function* (projection: typeof projections[number], folder: string) {
  const dump = yield* (yield* ReadModels).dump(modelName(projection))
  const scratch = Layer.fresh(layerReadModelsEmbedded({ file: join(folder, `${crypto.randomUUID()}.db`) }))
  const fresh = Context.get(yield* Layer.build(scratch), ReadModels)
  const { missing, surplus } = yield* compare(projection, fresh, dump, Infinity)
  assert.deepStrictEqual([missing, surplus], [[], []])
})
