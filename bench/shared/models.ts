import { Effect, Layer } from "effect"
import { join } from "node:path"
import { modelName } from "../../projections/engine/model-name.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { rebuild } from "../../projections/engine/rebuild.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { perSecond } from "../store/lap.ts"
import { rate } from "../store/log.ts"
import { fillLogs } from "../store/filled-logs.ts"
import { type ModelBatch, stepsOf } from "../store/steps.ts"
import type { BareRedis } from "./bare-redis.ts"
import { layerModels, startBenchRedis } from "./engines.ts"

const EVENTS = 20_000
const CATCH_UP_MILLIS = 60_000

/** Builds all read models in Redis together, then rebuilds each in turn; compares with a bare Lua loop over the log. */
export const measureModels = Effect.fnUntraced(function* (rounds: number) {
  const folder = yield* temporaryFolder
  const { bare, server } = yield* startBenchRedis
  return yield* Effect.gen(function* () {
    const { bareLog, recorded } = yield* fillLogs(folder, EVENTS)
    const all = stepsOf(recorded)
    const steps = projections.map((projection) => all.filter(({ model }) => model === modelName(projection)))
    const bareLap = (apply: () => Promise<unknown>) =>
      Effect.andThen(server.command("FLUSHALL"), perSecond(EVENTS, Effect.promise(apply)))
    const bareTogether = bareLap(() => {
      bareLog.replay()
      return Promise.all(steps.map((batches) => applyAll(bare, batches)))
    })
    const bareInTurn = bareLap(async () => {
      for (const batches of steps) {
        bareLog.replay()
        await applyAll(bare, batches)
      }
    })
    const laps = {
      built: new Array<number>(),
      together: new Array<number>(),
      rebuilt: new Array<number>(),
      inTurn: new Array<number>()
    }
    for (let round = 0; round <= rounds; round++) {
      yield* server.command("FLUSHALL")
      const built = yield* perSecond(EVENTS, buildAll(server.url, CATCH_UP_MILLIS))
      const rebuilt = yield* perSecond(EVENTS, rebuildAll(server.url))
      const together = yield* bareTogether
      const inTurn = yield* bareInTurn
      // The first round warms up.
      if (round === 0) continue
      laps.built.push(built)
      laps.together.push(together)
      laps.rebuilt.push(rebuilt)
      laps.inTurn.push(inTurn)
    }
    const slips = `${projections.length} models of ${EVENTS.toLocaleString("en-US")} slips`
    const script = "ioredis, one Lua script per batch"
    return [
      checkedFinding(
        {
          what: `projector, ${slips}`,
          measured: rate(laps.built),
          baseline: `${rate(laps.together)} ${script}`
        },
        ratioOf(laps.built, laps.together),
        { atLeast: 0.5 }
      ),
      checkedFinding(
        {
          what: "the same models rebuilt as shadow models, one by one",
          measured: rate(laps.rebuilt),
          baseline: `${rate(laps.inTurn)} ${script}`
        },
        ratioOf(laps.rebuilt, laps.inTurn),
        { atLeast: 0.5 }
      )
    ]
  }).pipe(Effect.provide(layerEventStoreEmbedded({ file: join(folder, "events.db") })))
})

/** Starts a projector without models and waits until each has caught up. */
export const buildAll = (url: string, catchUpMillis: number) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const head = yield* (yield* EventStore).head
    yield* Effect.forEach(
      projections,
      (projection) => models.awaitPosition(modelName(projection), head, catchUpMillis),
      {
        concurrency: "unbounded"
      }
    )
  }).pipe(Effect.provide(layerProjector(projections).pipe(Layer.provideMerge(layerModels(url)))))

const rebuildAll = (url: string) =>
  Effect.forEach(projections, (projection) => rebuild(projection)).pipe(Effect.provide(layerModels(url)))

const applyAll = async (bare: BareRedis, batches: ReadonlyArray<ModelBatch>): Promise<void> => {
  for (const { model, position, writes } of batches) await bare.apply(model, writes, position, position + 1)
}
