import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { beginning, type Position } from "../../../../../domain/events/recorded-event.ts"
import { RedisConnection } from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import { layerNewStreamsRedis, markStreams } from "../../../../../infrastructure/adapters/stores/redis/new-streams.ts"
import { NewStreams, type SlipStream } from "../../../../../ports/new-streams.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import { duplicatesModel, memberOfSlip } from "../../../../../projections/models/duplicates.ts"
import { newStreamsContract } from "../../../../contracts/new-streams.ts"
import { startRedisCluster } from "../../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, patientConnection, readModelsAt } from "./given-redis.ts"

const server = onceForFile(startRedisServer())

newStreamsContract(
  "a log on a server, with Redis",
  Effect.gen(function* () {
    yield* server().command("FLUSHALL")
    const stores = readModelsAt(server().url)
    const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(layerNewStreamsRedis, stores)))
    const models = Context.get(context, ReadModels)
    let after: Position = beginning
    return {
      newStreams: Context.get(context, NewStreams),
      append: Effect.fnUntraced(function* ({ digest, stream }: SlipStream) {
        const upTo = { commit: after.commit + 1n, prepare: after.commit + 1n }
        const { member, set } = memberOfSlip({ slipDigest: digest, stream })
        yield* models.apply(modelName(duplicatesModel), {
          after,
          upTo,
          writes: [{ _tag: "AddMember", set, member, score: 0, isFixed: true }]
        })
        after = upTo
      })
    }
  })
)

const markingOn = (url: string) =>
  Layer.build(Layer.fresh(patientConnection(url))).pipe(
    Effect.map((context) => markStreams(Context.get(context, RedisConnection)))
  )

describe("marks of streams in Redis", () => {
  it.live("are given once among all processes, and last for an hour", function* () {
    const { command, url } = yield* startRedisServer()
    const [one, other] = [yield* markingOn(url), yield* markingOn(url)]
    assert.deepStrictEqual(yield* one(["slip-1", "slip-2", "slip-1"]), [true, true, false])
    assert.deepStrictEqual(yield* other(["slip-2", "slip-3"]), [false, true])
    assert.deepStrictEqual(yield* one([]), [])
    const left = Number(yield* command("PTTL", "sliptrail:{marks}:stream:slip-3"))
    assert.isTrue(left > 3_000_000 && left <= 3_600_000)
  })

  it.live("work on a Redis Cluster", function* () {
    const { url } = yield* startRedisCluster
    const mark = yield* markingOn(url)
    assert.deepStrictEqual(yield* mark(["slip-1", "slip-2"]), [true, true])
    assert.deepStrictEqual(yield* mark(["slip-2"]), [false])
  })
})
