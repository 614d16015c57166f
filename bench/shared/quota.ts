import { Effect, Layer } from "effect"
import { join } from "node:path"
import { quotaSets } from "../../projections/models/quota.ts"
import { Quota } from "../../ports/quota.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, infoFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { perSecond } from "../store/lap.ts"
import { rate } from "../store/log.ts"
import { layerModels, startBenchRedis } from "./engines.ts"

const RESERVATIONS = 10_000
const LIMIT = 1_000_000
const limitsOf = (round: number) => [{ set: quotaSets.month(`bench-${round}`, "2026-11").set, limit: LIMIT }]
const CONCURRENCY = 64

/** Compares quota reservations in Redis with a bare Lua script that counts a hash. */
export const measureQuota = Effect.fnUntraced(function* (rounds: number) {
  const folder = yield* temporaryFolder
  const { bare, server } = yield* startBenchRedis
  const numbers = Array.from({ length: RESERVATIONS }, (_, number) => number)
  return yield* Effect.gen(function* () {
    const quota = yield* Quota
    const laps = { ours: new Array<number>(), bare: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const ours = yield* perSecond(
        RESERVATIONS,
        Effect.forEach(
          numbers,
          (number) =>
            quota.reserve({ limits: limitsOf(round), reservationIds: [String(number)] })
              .pipe(
                Effect.filterOrFail(
                  (answer) => answer === "reserved",
                  () => new BenchError({ message: "a unit was refused" })
                )
              ),
          { concurrency: CONCURRENCY, discard: true }
        )
      )
      const bares = yield* perSecond(
        RESERVATIONS,
        Effect.forEach(
          numbers,
          (number) => Effect.promise(() => bare.reserve(`bench-${round}`, String(number), LIMIT)),
          { concurrency: CONCURRENCY, discard: true }
        )
      )
      // The first round warms up.
      if (round === 0) continue
      laps.ours.push(ours)
      laps.bare.push(bares)
    }
    return [
      infoFinding({
        what: `quota reservations, ${CONCURRENCY} in parallel`,
        measured: rate(laps.ours),
        baseline: `${rate(laps.bare)} ioredis, one Lua script per unit`
      }, ratioOf(laps.ours, laps.bare))
    ]
  }).pipe(Effect.provide(
    layerModels(server.url).pipe(Layer.provide(layerEventStoreEmbedded({ file: join(folder, "events.db") })))
  ))
})
