import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger } from "effect"
import { join } from "node:path"
import { layerLeasesMemory } from "../../../../../infrastructure/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../../../infrastructure/stores/sqlite/events/store.ts"
import { modelCopyIn } from "../../../../../infrastructure/stores/sqlite/read-models/model-copy.ts"
import { layerReadModelsEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/read-models.ts"
import { ModelCopy, type OpenCopy } from "../../../../../ports/model-copy.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { layerProjector } from "../../../../../projections/engine/projector.ts"
import { projections } from "../../../../../projections/models/all.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { allCaughtUp, appendSlips, assertAllBuilt, assertSame } from "./given-slips.ts"

const EVENTS = 700

describe("the copy of the read models of a projector", () => {
  it.live("is built from an embedded log at once, and follows the log then", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "events.db")
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const opened = yield* Deferred.make<OpenCopy>()
      const openCopy = modelCopyIn(folder, { file, leastEvents: 1 })
      const log = yield* Layer.build(layerEventStoreEmbedded({ file }))
      yield* Effect.provide(appendSlips(EVENTS), log)
      const projecting = layerProjector(projections).pipe(
        Layer.provideMerge(Layer.mergeAll(
          layerReadModelsEmbedded({ file: join(folder, "models.db") }),
          layerLeasesMemory,
          Layer.succeed(ModelCopy, (id) => Effect.tap(openCopy(id), (copy) => Deferred.succeed(opened, copy))),
          logger
        )),
        Layer.provideMerge(Layer.succeedContext(log))
      )
      yield* Effect.gen(function* () {
        const { models } = yield* Deferred.await(opened)
        yield* Effect.gen(function* () {
          yield* allCaughtUp
          // Later events come in batches.
          yield* appendSlips(EVENTS)
          yield* allCaughtUp
          for (const projection of projections) yield* assertSame(projection, folder)
        }).pipe(Effect.provideService(ReadModels, models))
      }).pipe(Effect.provide(projecting))
      assertAllBuilt(logged)
    }))
})
