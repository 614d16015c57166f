import { Context, Effect, Layer, Metric } from "effect"
import { HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { projections } from "../../../../projections/models/all.ts"
import { type ModelId, modelName } from "../../../../projections/engine/model-name.ts"
import { EventStore, type EventStoreError } from "../../../../ports/event-store.ts"
import { Vault } from "../../../../ports/vault.ts"
import { isReady } from "../../../../projections/engine/readiness.ts"
import { makeStandstill, STANDSTILL_MILLIS } from "../../../../projections/engine/standstill.ts"
import { endpoint } from "./endpoint.ts"
import { beginHttpSeries } from "./http-metrics.ts"
import { ApiError } from "../../api/failures.ts"

const ok = { data: { status: "ok" }, message: "OK" }

/** Verifications wait for these. Without the others, lists fail and slips are looked up in the log. */
const needed = projections.filter(({ isFirst }) => isFirst === true)

/** What one process remembers between two checks of whether it can serve. */
export class Standstill
  extends Context.Service<Standstill, ReturnType<typeof makeStandstill>>()("sliptrail/http/Standstill") {}

/** Lets a process notice that a read model stands still. One for each process. */
export const layerStandstill = Layer.sync(Standstill, makeStandstill)

/** Why this process cannot serve requests now; empty when it can. */
export const missing = Effect.gen(function* () {
  const store = yield* EventStore
  const log = yield* Effect.andThen(store.head, store.writable).pipe(
    Effect.as([]),
    Effect.catch(({ operation, reason }) => Effect.succeed([logFault(operation, reason)]))
  )
  const vault = yield* Vault
  const keys = yield* vault.available.pipe(
    Effect.as([]),
    Effect.orElseSucceed(() => ["the file of the subject keys cannot be read"])
  )
  const models = yield* Effect.forEach(needed, modelFaults)
  return [...log, ...keys, ...models.flat()]
})

const modelFaults = Effect.fnUntraced(
  function* (model: ModelId) {
    const standsStill = yield* Standstill
    if (!(yield* isReady(model))) return [`read model ${modelName(model)} is catching up`]
    // Without the end of the log the model's state is unknown: the log is missing then.
    if (!(yield* Effect.catchTag(standsStill(model), "EventStoreError", () => Effect.succeed(false)))) return []
    return [
      `read model ${modelName(model)} stands still: the log has later events, and none was applied for ${
        STANDSTILL_MILLIS / 1_000
      } seconds`
    ]
  },
  (faults, model) => Effect.orElseSucceed(faults, () => [`read model ${modelName(model)} is not available`])
)

const logFault = (operation: string, reason: EventStoreError["reason"]): string => {
  if (reason === "disk-full") return "event store cannot be written: its disk is full"
  return operation === "append" ? "event store cannot be written" : "event store is not available"
}

const readyGauge = Metric.gauge("sliptrail_ready", {
  description: "1 while this process can serve, as /health/ready says"
})

/** Says to scrapers what `/health/ready` says to orchestrators. */
const keepReporting = Effect.flatMap(missing, (faults) => Metric.update(readyGauge, faults.length === 0 ? 1 : 0)).pipe(
  Effect.andThen(Effect.sleep("5 seconds")),
  Effect.forever,
  Effect.forkScoped
)

const live = endpoint("GET", "/health/live", () => Effect.succeed(ok))

const ready = endpoint(
  "GET",
  "/health/ready",
  Effect.fnUntraced(function* () {
    const faults = yield* missing
    if (faults.length === 0) return ok
    return yield* new ApiError({ code: "NOT_READY", issues: faults.map((message) => ({ path: "", message })) })
  })
)

/** The metrics, for scrapers. */
export const layerMetrics = endpoint(
  "GET",
  "/metrics",
  () =>
    Effect.map(
      PrometheusMetrics.format(),
      (text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
)

/** For orchestrators: alive, and ready or what is missing (docs/spec/operations.md, "Health and metrics"). */
export const layerHealth = Layer.merge(live, ready)

/** Keeps the readiness of the process in its metrics. */
export const layerReadinessReport = Layer.effectDiscard(Effect.andThen(beginHttpSeries, keepReporting))
