import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { join } from "node:path"
import { layerModelBuilderRedis } from "../../../infrastructure/runtime/redis-model-builder.ts"
import type { RedisBuildData } from "../../../infrastructure/runtime/redis-build-thread.ts"
import { layerEventStoreDb } from "../../../infrastructure/stores/eventstoredb/store.ts"
import { layerLeasesMemory } from "../../../infrastructure/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../infrastructure/stores/sqlite/events/store.ts"
import { ModelBuilder } from "../../../ports/model-builder.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { modelName, shadowName } from "../../../projections/engine/model-name.ts"
import { layerProjector } from "../../../projections/engine/projector.ts"
import { rebuild } from "../../../projections/engine/rebuild.ts"
import { projections } from "../../../projections/models/all.ts"
import { startServerProcess } from "../../support/eventstore-server/process.ts"
import { startRedisServer } from "../../support/redis-server.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { readModelsAt } from "../stores/redis/given-redis.ts"
import { allCaughtUp, appendSlips, assertSame } from "../stores/sqlite/read-models/given-slips.ts"

const EVENTS = 700

/** Each kind of log, with a way to open it. */
const logs = {
  "an embedded log": Effect.map(temporaryFolder, (folder) => {
    const file = join(folder, "events.db")
    return { folder, data: { file }, layer: layerEventStoreEmbedded({ file }) }
  }),
  "a log on a server": Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { port } = yield* startServerProcess()
    const connectionString = `esdb://127.0.0.1:${port}?tls=false`
    const layer = layerEventStoreDb({ connectionString: Redacted.make(connectionString) })
    return { folder, data: { connectionString }, layer: Layer.orDie(layer) }
  })
} as const

for (const [kind, givenLog] of Object.entries(logs)) {
  describe(`building read models in Redis from ${kind}`, () => {
    it.live("gives a projector all lost models at once, equal to a replay of the log", () =>
      Effect.gen(function* () {
        const { data, folder, layer } = yield* givenLog
        const redis = yield* startRedisServer()
        const { logged, logger } = logging()
        const projecting = layerProjector(projections).pipe(
          Layer.provideMerge(models(data, redis.url)),
          Layer.provideMerge(layer),
          Layer.provideMerge(logger)
        )
        yield* appendSlips(EVENTS).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          yield* allCaughtUp
          // Later events come in batches.
          yield* appendSlips(EVENTS)
          yield* allCaughtUp
          for (const projection of projections) yield* assertSame(projection, folder)
        }).pipe(Effect.provide(projecting))
        const [message] = logged.filter((text) => text.includes("built from the log"))
        for (const projection of projections) assert.include(message, modelName(projection))
      }))

    it.live("rebuilds a model as a shadow model", () =>
      Effect.gen(function* () {
        const { data, folder, layer } = yield* givenLog
        const redis = yield* startRedisServer()
        yield* Effect.gen(function* () {
          yield* appendSlips(EVENTS)
          for (const projection of projections.slice(0, 3)) {
            yield* rebuild(projection)
            yield* assertSame(projection, folder)
          }
        }).pipe(Effect.provide(models(data, redis.url).pipe(Layer.provideMerge(layer))))
      }))
  })
}

describe("building read models in Redis", () => {
  it.live("does not start a thread for a short log", () =>
    Effect.gen(function* () {
      const { data, layer } = yield* logs["an embedded log"]
      const redis = yield* startRedisServer()
      yield* Effect.gen(function* () {
        yield* appendSlips(10)
        assert.deepStrictEqual(yield* build([modelName(projections[0] ?? assert.fail())], 10n), [])
      }).pipe(Effect.provide(models(data, redis.url, 11n).pipe(Layer.provideMerge(layer))))
    }))

  it.live("fails when Redis is away, and builds again when it is back", () =>
    Effect.gen(function* () {
      const { data, layer } = yield* logs["an embedded log"]
      const redis = yield* startRedisServer({ appendonly: true })
      const all = projections.map(modelName)
      yield* Effect.gen(function* () {
        yield* appendSlips(EVENTS)
        yield* redis.stop()
        const error = yield* Effect.flip(build(all, BigInt(EVENTS)))
        assert.strictEqual(error.operation, "build")
        assert.notInclude(String(error.cause), "the thread was terminated")
        yield* redis.start
        assert.deepStrictEqual(yield* build(all, BigInt(EVENTS)), all)
        const { checkpoint } = yield* ReadModels
        for (const model of all) {
          assert.strictEqual((yield* Effect.eventually(checkpoint(shadowName(model)))).commit, BigInt(EVENTS))
        }
      }).pipe(Effect.provide(models(data, redis.url).pipe(Layer.provideMerge(layer))))
    }))
})

const build = (models: ReadonlyArray<string>, commit: bigint) =>
  Effect.flatMap(
    ModelBuilder,
    (buildModels) => buildModels?.(models, { commit, prepare: commit }) ?? Effect.succeed([])
  )

const models = (log: RedisBuildData["log"], url: string, leastCommit = 1n) =>
  Layer.mergeAll(layerModelBuilderRedis({ log, redisUrl: url, leastCommit }), layerLeasesMemory).pipe(
    Layer.provideMerge(Layer.orDie(readModelsAt(url)))
  )

const logging = () => {
  const logged: Array<string> = []
  return { logged, logger: Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]) }
}
