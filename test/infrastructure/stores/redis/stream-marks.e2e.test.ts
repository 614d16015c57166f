import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layerStreamMarksRedis } from "../../../../infrastructure/stores/redis/stream-marks.ts"
import { StreamMarks } from "../../../../ports/stream-marks.ts"
import { startRedisCluster } from "../../../support/redis-cluster.ts"
import { startRedisServer } from "../../../support/redis-server.ts"
import { patientConnection } from "./given-redis.ts"

const processOn = (url: string) =>
  Layer.build(Layer.fresh(layerStreamMarksRedis).pipe(Layer.provide(patientConnection(url))))
    .pipe(Effect.map((context) => Context.get(context, StreamMarks)))

describe("marks of streams in Redis", () => {
  it.live("are given once among all processes, and last for an hour", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const [one, other] = [yield* processOn(server.url), yield* processOn(server.url)]
      assert.deepStrictEqual(yield* one.mark(["slip-1", "slip-2", "slip-1"]), [true, true, false])
      assert.deepStrictEqual(yield* other.mark(["slip-2", "slip-3"]), [false, true])
      assert.deepStrictEqual(yield* one.mark([]), [])
      const left = Number(yield* server.command("PTTL", "sliptrail:{marks}:stream:slip-3"))
      assert.isTrue(left > 3_000_000 && left <= 3_600_000)
    }))

  it.live("work on a Redis Cluster", () =>
    Effect.gen(function* () {
      const { url } = yield* startRedisCluster
      const { mark } = yield* processOn(url)
      assert.deepStrictEqual(yield* mark(["slip-1", "slip-2"]), [true, true])
      assert.deepStrictEqual(yield* mark(["slip-2"]), [false])
    }))
})
