import { Effect, Layer } from "effect"
import { join } from "node:path"
import { quotaNaming, quotaSets } from "../../projections/models/quota.ts"
import { Quota } from "../../ports/quota.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { layerQuotaEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/quota.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, infoFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { openBareModels } from "./bare-models.ts"
import { perSecond } from "./lap.ts"
import { rate } from "./log.ts"

const RESERVATIONS = 20_000
const LIMIT = 1_000_000
const limits = [{ set: quotaSets.month("bench", "2026-11").set, limit: LIMIT }]

/** Compares quota reservations with one guarded UPDATE per unit in bare node:sqlite. */
export const measureQuota = Effect.fnUntraced(function* (rounds: number) {
  const folder = yield* temporaryFolder
  const bare = yield* Effect.acquireRelease(
    Effect.sync(() => openBareModels(join(folder, "bare.db"))),
    ({ close }) => Effect.sync(close)
  )
  const layer = layerQuotaEmbedded(quotaNaming).pipe(
    Layer.provide(layerReadModelsEmbedded({ file: join(folder, "models.db") })),
    Layer.provide(layerEventStoreEmbedded({ file: join(folder, "events.db") }))
  )
  return yield* Effect.gen(function* () {
    const quota = yield* Quota
    const laps = { ours: new Array<number>(), bare: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const ours = yield* perSecond(
        RESERVATIONS,
        Effect.gen(function* () {
          for (let number = 0; number < RESERVATIONS; number++) {
            const unit = { limits, reservationIds: [`${round}-${number}`] }
            if ((yield* quota.reserve(unit)) === "exceeded") {
              return yield* new BenchError({ message: "a unit was refused" })
            }
          }
        })
      )
      const bares = yield* perSecond(
        RESERVATIONS,
        Effect.sync(() => {
          for (let number = 0; number < RESERVATIONS; number++) bare.reserve("bench", LIMIT)
        })
      )
      // The first round warms up.
      if (round === 0) continue
      laps.ours.push(ours)
      laps.bare.push(bares)
    }
    return [
      infoFinding({
        what: "quota reservations",
        measured: rate(laps.ours),
        baseline: `${rate(laps.bare)} node:sqlite, one UPDATE per unit`
      }, ratioOf(laps.ours, laps.bare))
    ]
  }).pipe(Effect.provide(layer))
})
