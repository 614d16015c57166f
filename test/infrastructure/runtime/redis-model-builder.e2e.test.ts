import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer, Logger, Redacted } from "effect"
import { join } from "node:path"
import {
  layerModelBuilderRedis,
  type RedisBuilderOptions
} from "../../../infrastructure/runtime/redis-model-builder.ts"
import { layerEventStoreDb } from "../../../infrastructure/adapters/stores/eventstoredb/store.ts"
import { layerLeasesRedis } from "../../../infrastructure/adapters/stores/redis/leases.ts"
import { layerLeasesMemory } from "../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { ModelBuilder } from "../../../ports/model-builder.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { modelName, shadowName } from "../../../projections/engine/model-name.ts"
import { layerProjector } from "../../../projections/engine/projector.ts"
import { rebuild } from "../../../projections/engine/rebuild.ts"
import { projections } from "../../../projections/models/all.ts"
import { startServerProcess } from "../../support/eventstore-server/process.ts"
import { startRedisServer } from "../../support/redis-server.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { readModelsAt } from "../adapters/stores/redis/given-redis.ts"
import {
  allCaughtUp,
  appendSlips,
  assertAllBuilt,
  assertRequestedFirst,
  assertSame
} from "../adapters/stores/sqlite/read-models/given-slips.ts"

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
    const connectionString = Redacted.make(`esdb://127.0.0.1:${port}?tls=false`)
    const layer = layerEventStoreDb({ connectionString })
    return { folder, data: { connectionString }, layer: Layer.orDie(layer) }
  })
} as const

for (const [kind, givenLog] of Object.entries(logs)) {
  describe(`building read models in Redis from ${kind}`, () => {
    it.live("gives a projector all lost models at once, equal to a replay of the log", function* () {
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
      assertRequestedFirst(assertAllBuilt(logged))
    })

    it.live("rebuilds a model as a shadow model", function* () {
      const { data, folder, layer } = yield* givenLog
      const redis = yield* startRedisServer()
      yield* Effect.gen(function* () {
        yield* appendSlips(EVENTS)
        for (const projection of projections.slice(0, 3)) {
          yield* rebuild(projection)
          yield* assertSame(projection, folder)
        }
      }).pipe(Effect.provide(models(data, redis.url).pipe(Layer.provideMerge(layer))))
    })
  })
}

describe("building read models in Redis", () => {
  it.live("gives each of two projectors the models that it projects", function* () {
    const { data, folder, layer } = yield* logs["a log on a server"]
    const redis = yield* startRedisServer()
    yield* appendSlips(EVENTS).pipe(Effect.provide(layer))
    const process = layerProjector(projections).pipe(
      Layer.provideMerge(builder(data, redis.url)),
      Layer.provideMerge(layerLeasesRedis()),
      Layer.provideMerge(Layer.orDie(readModelsAt(redis.url))),
      Layer.provideMerge(layer)
    )
    const build = Layer.build(Layer.fresh(process))
    const [one] = yield* Effect.all([build, build], { concurrency: 2 })
    yield* Effect.gen(function* () {
      yield* allCaughtUp
      yield* appendSlips(EVENTS)
      yield* allCaughtUp
      for (const projection of projections) yield* assertSame(projection, folder)
    }).pipe(Effect.provide(one))
  })

  it.live("is not for a short log", function* () {
    const { data } = yield* logs["an embedded log"]
    const redis = yield* startRedisServer()
    const service = yield* Effect.provide(ModelBuilder, models(data, redis.url, 11n))
    const isLongEnough = (commit: bigint) => service?.isLongEnough({ commit, prepare: commit })
    assert.deepStrictEqual([isLongEnough(10n), isLongEnough(11n)], [false, true])
  })

  it.live("fails when Redis is away, and builds again when it is back", function* () {
    const { data, layer } = yield* logs["an embedded log"]
    const redis = yield* startRedisServer({ appendonly: true })
    const all = projections.map(modelName)
    yield* Effect.gen(function* () {
      yield* appendSlips(EVENTS)
      yield* redis.stop()
      const error = yield* Effect.flip(build(all, BigInt(EVENTS)))
      assert.strictEqual(error.operation, "build")
      assert.include(String(error.cause), "nothing listens there, start Redis")
      yield* redis.start
      assert.deepStrictEqual(yield* build(all, BigInt(EVENTS)), all)
      const { checkpoint } = yield* ReadModels
      for (const model of all) {
        assert.strictEqual((yield* Effect.eventually(checkpoint(shadowName(model)))).commit, BigInt(EVENTS))
      }
    }).pipe(Effect.provide(models(data, redis.url).pipe(Layer.provideMerge(layer))))
  })
})

/** Builds models in one group. Returns those that are complete. */
const build = Effect.fnUntraced(function* (models: ReadonlyArray<string>, commit: bigint) {
  const built: Array<string> = []
  const onBuilt = (model: string) => Effect.sync(() => void built.push(model))
  yield* (yield* ModelBuilder)?.build([models], { commit, prepare: commit }, onBuilt) ?? Effect.void
  return built
})

/** A builder whose commands may take as long as those of a patient connection. */
const builder = (log: RedisBuilderOptions["log"], url: string, leastCommit = 1n) =>
  layerModelBuilderRedis({ log, redisUrl: Redacted.make(url), leastCommit, redisCommandMillis: 600_000 })

const models = (log: RedisBuilderOptions["log"], url: string, leastCommit = 1n) =>
  Layer.mergeAll(builder(log, url, leastCommit), layerLeasesMemory).pipe(
    Layer.provideMerge(Layer.orDie(readModelsAt(url)))
  )

const logging = () => {
  const logged: Array<string> = []
  return { logged, logger: Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]) }
}
