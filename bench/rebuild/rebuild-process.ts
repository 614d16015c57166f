import { Effect, Layer, Logger, Redacted } from "effect"
import { join } from "node:path"
import { beginning } from "../../domain/events/recorded-event.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { restoreModel } from "../../projections/engine/restore.ts"
import { projections } from "../../projections/models/all.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder } from "../../ports/model-builder.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { layerModelBuilderRedis } from "../../infrastructure/runtime/redis-model-builder.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { layerModelBuilder } from "../../infrastructure/adapters/stores/sqlite/read-models/model-builder.ts"
import { modelCopyIn } from "../../infrastructure/adapters/stores/sqlite/read-models/model-copy.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { layerModels } from "../shared/engines.ts"
import { buildAll } from "../shared/models.ts"
import type { Task, TaskReport } from "./messages.ts"

// Builds all read models of the log in a folder, in a separate process: `rebuild-process.ts FOLDER`.

const [, , folder = ""] = process.argv
const log = join(folder, "events.db")
const models = projections.map(modelName)

/** The process keeps its copy under the id of the first event. */
const idOfFirstEvent = Effect.gen(function* () {
  const [first] = yield* (yield* EventStore).readAll({ after: beginning, limit: 1 })
  return yield* Effect.fromNullishOr(first?.id)
})

/** Builds the copy as a service builds its embedded read models. */
const build = Effect.gen(function* () {
  const file = join(folder, `models-copy-${yield* idOfFirstEvent}.db`)
  const { head } = yield* EventStore
  yield* Effect.gen(function* () {
    const [builder, { promote }] = [yield* ModelBuilder, yield* ReadModels]
    const built: Array<string> = []
    const onBuilt = (model: string) => Effect.map(promote(model), () => void built.push(model))
    yield* builder?.build([models], yield* head, onBuilt) ?? Effect.void
    if (built.length < models.length) return yield* Effect.die(new Error(`only ${built.join(", ")} were built`))
  }).pipe(Effect.provide(layerModelBuilder({ log, file }).pipe(Layer.provideMerge(layerReadModelsEmbedded({ file })))))
})

/** Restores of this many models run at once. */
const AT_ONCE = 4

const restore = (url: string) =>
  Effect.gen(function* () {
    const copy = yield* modelCopyIn(folder)(yield* idOfFirstEvent)
    const restored = yield* Effect.forEach(models, (model) => restoreModel(copy, model), { concurrency: AT_ONCE })
    if (restored.includes(false)) return yield* Effect.die(new Error("a model was not restored"))
  }).pipe(Effect.scoped, Effect.provide(layerModels(url)))

const CATCH_UP_MILLIS = 3_600_000

const run = ({ task, url }: Task): Effect.Effect<unknown, unknown, EventStore> => {
  switch (task) {
    case "build":
      return build
    case "restore":
      return restore(url)
    case "project":
      return Effect.provide(
        buildAll(url, CATCH_UP_MILLIS),
        layerModelBuilderRedis({ log: { file: log }, redisUrl: Redacted.make(url) })
      )
  }
}

const environment = Layer.merge(layerEventStoreEmbeddedReadOnly({ file: log }), Logger.layer([]))

process.on("message", (task: Task) => {
  const started = performance.now()
  void Effect.runPromise(Effect.provide(run(task), environment))
    .then(() => process.send?.({ millis: performance.now() - started } satisfies TaskReport))
})
