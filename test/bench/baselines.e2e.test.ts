import { assert, describe, it } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { replayPage } from "../../projections/engine/rebuild.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { projections } from "../../projections/models/all.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { startBenchRedis } from "../../bench/shared/engines.ts"
import { openBareModels } from "../../bench/store/bare-models.ts"
import { fillLogs } from "../../bench/store/filled-logs.ts"
import { stepsOf } from "../../bench/store/steps.ts"

const SLIPS = 150

/** The writes of verified slips, as the benchmark gives them to a baseline. */
const givenSlips = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const { recorded } = yield* fillLogs(folder, SLIPS)
  return { folder, steps: stepsOf(recorded) }
})

describe("the baselines of the read models", () => {
  it.live("on SQLite have the rows and sets of the service", function* () {
    const log = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const { folder, steps } = yield* givenSlips
      const bare = openBareModels(join(folder, "bare-models.db"))
      for (const { model, position, writes } of steps) bare.apply(model, writes, position)
      bare.close()
      const open = (file: string) => Layer.build(Layer.fresh(layerReadModelsEmbedded({ file: join(folder, file) })))
      const ofBaseline = Context.get(yield* open("bare-models.db"), ReadModels)
      const models = Context.get(yield* open("models.db"), ReadModels)
      for (const projection of projections) {
        const model = modelName(projection)
        let at: typeof beginning | undefined = beginning
        while (at !== undefined) at = yield* replayPage(projection, { models, model }, at)
        assert.deepStrictEqual((yield* ofBaseline.dump(model)).lines, (yield* models.dump(model)).lines, model)
      }
    }).pipe(Effect.provide(layerEventStoreEmbedded({ file: join(log, "events.db") })))
  })

  it.live("in Redis apply every write of a verified slip", function* () {
    const log = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const { steps } = yield* givenSlips
      const { bare } = yield* startBenchRedis
      for (const { model, position, writes } of steps) {
        yield* Effect.promise(() => bare.apply(model, writes, position, position + 1))
      }
    }).pipe(Effect.provide(layerEventStoreEmbedded({ file: join(log, "events.db") })))
  })
})
