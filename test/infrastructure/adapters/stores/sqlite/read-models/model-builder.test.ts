import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Fiber, Layer, Logger } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { layerLeasesMemory } from "../../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { layerModelBuilder } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/model-builder.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { layerProjector } from "../../../../../../projections/engine/projector.ts"
import { rebuild } from "../../../../../../projections/engine/rebuild.ts"
import { projections } from "../../../../../../projections/models/all.ts"
import { allCaughtUp, appendSlips, assertAllBuilt, assertSame } from "./given-slips.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"

const EVENTS = 700

describe("building read models in threads", () => {
  it.live("gives a projector all lost models at once, equal to a replay of the log", function* () {
    const { folder, logged, logger } = yield* given
    yield* Effect.provide(fill, stores(folder))
    yield* Effect.gen(function* () {
      yield* allCaughtUp
      // Later events come in batches.
      yield* fill
      yield* allCaughtUp
      for (const projection of projections) yield* assertSame(projection, folder)
    }).pipe(Effect.provide(projecting(folder, logger)))
    assertAllBuilt(logged)
  })

  it.live("rebuilds a model as a shadow model", function* () {
    const { folder } = yield* given
    yield* Effect.gen(function* () {
      yield* fill
      for (const projection of projections) {
        yield* rebuild(projection)
        yield* assertSame(projection, folder)
      }
      assert.deepStrictEqual(partsIn(folder), [])
    }).pipe(Effect.provide(stores(folder)))
  })

  it.live("leaves nothing that stops the next build when it is interrupted", function* () {
    const { folder } = yield* given
    yield* Effect.gen(function* () {
      yield* fill
      for (const projection of projections.slice(0, 3)) {
        const building = yield* Effect.forkChild(rebuild(projection))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(building)
        assert.deepStrictEqual(partsIn(folder), [])
        yield* rebuild(projection)
        yield* assertSame(projection, folder)
      }
    }).pipe(Effect.provide(stores(folder)))
  })

  it.live("does not build from a short log", function* () {
    const { folder, logged, logger } = yield* given
    yield* Effect.provide(fill, stores(folder))
    yield* Effect.provide(allCaughtUp, projecting(folder, logger, EVENTS + 1))
    assert.deepStrictEqual(logged.filter((text) => text.includes("built from the log")), [])
  })
})

/** Files with collected writes. */
const partsIn = (folder: string): ReadonlyArray<string> => readdirSync(folder).filter((name) => name.includes(".part-"))

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

const fill = appendSlips(EVENTS)
