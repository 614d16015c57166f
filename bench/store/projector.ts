import { Effect, Layer } from "effect"
import { join } from "node:path"
import { modelName } from "../../projections/engine/model-name.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { layerLeasesMemory } from "../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import { layerProjector } from "../../projections/engine/projector.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { openBareModels } from "./bare-models.ts"
import { perSecond } from "./lap.ts"
import { rate } from "./log.ts"
import { fillLogs } from "./filled-logs.ts"
import { BATCH, stepsOf } from "./steps.ts"

const EVENTS = 20_000
const CATCH_UP_MILLIS = 60_000

/** Builds every read model from a full log; compares with the same reads and statements in bare node:sqlite. */
export const measureProjector = Effect.fnUntraced(function* (rounds: number) {
  const folder = yield* temporaryFolder
  return yield* Effect.gen(function* () {
    const { bareLog, recorded } = yield* fillLogs(folder, EVENTS)
    const laps = { ours: new Array<number>(), bare: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const ours = yield* perSecond(EVENTS, buildAll(join(folder, `models-${round}.db`)))
      const steps = stepsOf(recorded)
      const bare = yield* Effect.scoped(Effect.gen(function* () {
        const models = yield* Effect.acquireRelease(
          Effect.sync(() => openBareModels(join(folder, `bare-models-${round}.db`))),
          ({ close }) => Effect.sync(close)
        )
        return yield* perSecond(
          EVENTS,
          Effect.sync(() => {
            bareLog.replay()
            for (const { model, position, writes } of steps) models.apply(model, writes, position)
          })
        )
      }))
      // The first round warms up.
      if (round === 0) continue
      laps.ours.push(ours)
      laps.bare.push(bare)
    }
    return [
      checkedFinding(
        {
          what: `projector, ${projections.length} models of ${EVENTS.toLocaleString("en-US")} slips`,
          measured: rate(laps.ours),
          baseline: `${rate(laps.bare)} node:sqlite, ${BATCH} per commit`
        },
        ratioOf(laps.ours, laps.bare),
        { atLeast: 0.5 }
      )
    ]
  }).pipe(Effect.provide(layerEventStoreEmbedded({ file: join(folder, "events.db") })))
})

/** Starts with an empty file and waits until every model has caught up. */
const buildAll = (file: string) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const head = yield* (yield* EventStore).head
    yield* Effect.forEach(
      projections,
      (projection) => models.awaitPosition(modelName(projection), head, CATCH_UP_MILLIS)
    )
  }).pipe(
    Effect.provide(
      layerProjector(projections).pipe(
        Layer.provideMerge(layerReadModelsEmbedded({ file })),
        Layer.provide(layerLeasesMemory)
      )
    )
  )
