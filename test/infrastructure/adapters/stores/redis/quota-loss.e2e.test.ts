import { assert, describe } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { epochKeyOf } from "../../../../../infrastructure/adapters/stores/redis/keys.ts"
import { until } from "../../../../support/advance-clock.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import {
  appendBranch,
  appendCharge,
  count,
  model,
  monthSet,
  reasonOf,
  reservation,
  startQuota,
  test,
  whileTimePasses
} from "./given-quota.ts"

/** The clock of Redis does not stand still: no test is this slow. */
const longGrace = { gracePeriod: "10 minutes" } as const

describe("a Redis that lost reservations", () => {
  test("admits nothing in any process while holders may still append charges", function* () {
    const server = yield* startRedisServer()
    const before = yield* startQuota(server.url, longGrace)
    assert.strictEqual(yield* before.quota.reserve(reservation("r1", 100)), "reserved")
    yield* before.quota.confirm(reservation("r1"))
    yield* appendBranch
    yield* count(before.models)
    yield* server.command("FLUSHALL")
    assert.strictEqual(yield* reasonOf(before.quota.confirm(reservation("r1"))), "held-too-long")
    yield* count(before.models)
    const after = yield* startQuota(server.url, longGrace)
    for (const { quota } of [before, after]) {
      assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r2", 100)))), "not-ready")
    }
  })

  test("begins the grace period although no request comes", function* () {
    const server = yield* startRedisServer()
    yield* startQuota(server.url)
    yield* appendBranch
    yield* server.command("FLUSHALL")
    yield* until(Effect.map(server.command("EXISTS", epochKeyOf(model)), (found) => found === 1))
    const opens = Number(yield* server.command("HGET", epochKeyOf(model), "opens"))
    const [seconds] = yield* server.command("TIME") as Effect.Effect<ReadonlyArray<string>>
    assert.isAtMost(opens - Number(seconds) * 1_000, 2_500 + 1_000, "within 2.5 seconds by the clock of Redis")
  })

  test("admits nothing while appends of the log's sole writer have not ended", function* () {
    const server = yield* startRedisServer()
    const ended = yield* Latch.make()
    const soleWriter = { settled: ended.await, headAfter: () => Effect.never }
    const { models, quota } = yield* startQuota(server.url, { gracePeriod: 1, soleWriter })
    yield* appendBranch
    yield* server.command("FLUSHALL")
    yield* count(models)
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r2", 1)))), "not-ready")
    yield* appendCharge("r1")
    yield* ended.open
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r2", 1)))), "not-ready")
    yield* count(models)
    assert.strictEqual(yield* whileTimePasses(quota.reserve(reservation("r2", 1))), "exceeded")
  })

  test("admits the remaining quota after it has counted all charges", function* () {
    const server = yield* startRedisServer()
    const { models, quota } = yield* startQuota(server.url, { gracePeriod: 1 })
    for (const id of ["r1", "r2"]) yield* quota.reserve(reservation(id, 3))
    yield* server.command("FLUSHALL")
    for (const id of ["r1", "r2"]) yield* appendCharge(id)
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r3", 3)))), "not-ready")
    yield* count(models, 1)
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r3", 3)))), "not-ready")
    yield* count(models)
    assert.strictEqual(yield* whileTimePasses(quota.reserve(reservation("r3", 3))), "reserved")
    assert.strictEqual(yield* quota.reserve(reservation("r4", 3)), "exceeded")
  })

  test("reports no usage that is too small, not even to a new process", function* () {
    const server = yield* startRedisServer()
    yield* appendCharge("r1")
    const { models, quota } = yield* startQuota(server.url)
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.usage([monthSet]))), "not-ready")
    yield* count(models)
    assert.deepStrictEqual(yield* whileTimePasses(quota.usage([monthSet])), [1])
  })

  test("is detected when it restarts from an older snapshot", function* () {
    const server = yield* startRedisServer()
    const { models, quota } = yield* startQuota(server.url, longGrace)
    yield* quota.reserve(reservation("r1", 2))
    yield* appendBranch
    yield* count(models)
    yield* server.command("SAVE")
    yield* quota.reserve(reservation("r2", 2))
    yield* server.stop()
    yield* server.start
    let last = ""
    yield* until(Effect.map(reasonOf(quota.reserve(reservation("r3", 2))), (reason) => {
      last = reason
      return reason !== "unavailable"
    }))
    assert.strictEqual(last, "not-ready")
  })

  test("keeps its reservations when it restarts with all data", function* () {
    const server = yield* startRedisServer({ appendonly: true })
    const { models, quota } = yield* startQuota(server.url, { gracePeriod: 1 })
    yield* appendCharge("r1")
    yield* count(models)
    yield* whileTimePasses(quota.reserve(reservation("r2", 2)))
    yield* server.stop()
    yield* server.start
    const again = whileTimePasses(reasonOf(quota.reserve(reservation("r2", 2))))
    yield* until(Effect.map(again, (reason) => reason === "reserved"))
    assert.strictEqual(yield* quota.reserve(reservation("r3", 2)), "exceeded")
  })
})
