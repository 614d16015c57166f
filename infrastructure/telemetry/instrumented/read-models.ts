import { Effect, Layer, Metric } from "effect"
import { ReadModels, type ReadModelsError } from "../../../ports/read-models.ts"
import { inSpan } from "../../../ports/tracing.ts"
import { tallyOf } from "../series.ts"

/** The read models, measured and in traces. `system` says to readers of traces what keeps them. */
export const layerWatchedReadModels = (system: "sqlite" | "redis"): Layer.Layer<ReadModels, never, ReadModels> =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const models = yield* ReadModels
      const count = yield* tallyOf(failures, "reason", ["unavailable", "timeout", "behind"])

      const read = <A>(operation: string, model: string, effect: Effect.Effect<A, ReadModelsError>) =>
        inSpan(
          {
            name: `${operation} ${model}`,
            kind: "client",
            attributes: { "db.system.name": system, "db.operation.name": operation, "db.collection.name": model }
          },
          Effect.tapError(effect, ({ reason }) => Effect.sync(() => count(reason)))
        )
      return ReadModels.of({
        ...models,
        awaitPosition: (model, position, timeoutMillis) =>
          read("awaitPosition", model, models.awaitPosition(model, position, timeoutMillis)),
        get: (model, table, key) => read("get", model, models.get(model, table, key)),
        count: (model, set) => read("count", model, models.count(model, set)),
        has: (model, set, member) => read("has", model, models.has(model, set, member)),
        members: (model, set, options) => read("members", model, models.members(model, set, options))
      })
    })
  )

const failures = Metric.counter("sliptrail_read_model_failures_total", {
  description: "Reads of read models that gave no answer, by reason",
  incremental: true
})
