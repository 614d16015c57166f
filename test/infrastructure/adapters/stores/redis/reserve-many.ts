import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { quotaNaming } from "../../../../../projections/models/quota.ts"
import { Quota } from "../../../../../ports/quota.ts"
import { layerQuotaRedis } from "../../../../../infrastructure/adapters/stores/redis/quota.ts"
import { layerReadModelsRedis } from "../../../../../infrastructure/adapters/stores/redis/read-models.ts"
import { layerEventStoreMemory } from "../../../../support/memory-event-store.ts"
import { patientConnection } from "./given-redis.ts"

// Reserves quota units: `reserve-many.ts URL NAME REQUESTS LIMIT`. Prints `ready`, waits for a line, sends all requests
// in parallel, and prints how many of them got a unit.

const [, , url = "", name = "", requests = "0", limit = "0"] = process.argv

/** A clock that stands still, because a request may take any time. It must not warn of that on the output. */
const clock = TestClock.layer({ warningDelay: "1 hour" })

const layer = layerQuotaRedis(quotaNaming).pipe(
  Layer.provide(layerReadModelsRedis({ countedBy: quotaNaming.model })),
  Layer.provide(patientConnection(url)),
  Layer.provide(layerEventStoreMemory)
)

const nextLine = Effect.callback<void>((resume) => {
  const lines = createInterface(process.stdin)
  lines.once("line", () => {
    lines.close()
    resume(Effect.void)
  })
})

await Effect.runPromise(
  Effect.gen(function* () {
    const quota = yield* Quota
    writeSync(1, "ready\n")
    yield* nextLine
    const answers = yield* Effect.forEach(
      Array.from({ length: Number(requests) }, (_, index) => `${name}-${index}`),
      (reservationId) =>
        quota.reserve({ limits: [{ set: "month", limit: Number(limit) }], reservationIds: [reservationId] }),
      { concurrency: "unbounded" }
    )
    writeSync(1, `${answers.filter((answer) => answer === "reserved").length}\n`)
  }).pipe(Effect.provide(Layer.provideMerge(layer, clock)))
)
process.exit(0)
