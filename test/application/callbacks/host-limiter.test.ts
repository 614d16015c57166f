import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Permit } from "../../../application/processes/limiter.ts"
import { type HostHistory, makeHostLimiter } from "../../../application/callbacks/host-limiter.ts"

const host = "shop.example"

const given = (history: HostHistory | undefined = { failures: 0, lastFailureAt: 0 }) => {
  const log = { told: [] as Array<readonly [string, boolean]>, asked: 0 }
  const how: { history: HostHistory | undefined } = { history }
  const limiter = makeHostLimiter({
    successesPerSlot: 0,
    historyOf: () =>
      Effect.sync(() => {
        log.asked++
        return how.history
      }),
    onCircuit: (name, isOpen) => Effect.sync(() => void log.told.push([name, isOpen]))
  })
  const acquire = (name = host) => limiter.acquire(name)
  /** One exchange, from its beginning to its end. */
  const exchange = Effect.fnUntraced(function* (went: "success" | "failure", name = host) {
    const permit = yield* acquire(name)
    if (permit === undefined) return false
    yield* permit.report(went)
    yield* permit.release
    return true
  })
  const fail = Effect.fnUntraced(function* (times: number) {
    for (let n = 0; n < times; n++) assert.isTrue(yield* exchange("failure"))
  })
  return { limiter, log, how, acquire, exchange, fail }
}

const isIn = (permit: Permit | undefined): boolean => permit !== undefined

describe("the limiter of hosts", () => {
  it.effect("admits eight concurrent requests to each host", () =>
    Effect.gen(function* () {
      const { acquire, limiter } = given()

      const permits = yield* Effect.forEach(Array.from({ length: 9 }), () => acquire())

      assert.strictEqual(permits.filter(isIn).length, 8)
      assert.deepStrictEqual([limiter.isBusy(host, 0), limiter.isPaused(host, 0)], [true, false])
      assert.isTrue(isIn(yield* acquire("other.example")))
      yield* permits[3]?.release ?? Effect.void
      assert.isTrue(isIn(yield* acquire()))
      assert.isFalse(isIn(yield* acquire()))
    }))

  it.effect("admits one more request after a number of successes, up to eight", () =>
    Effect.gen(function* () {
      const limiter = makeHostLimiter({
        successesPerSlot: 2,
        historyOf: () => Effect.succeed({ failures: 0, lastFailureAt: 0 }),
        onCircuit: () => Effect.void
      })
      const room = Effect.gen(function* () {
        const permits: Array<Permit> = []
        for (
          let permit = yield* limiter.acquire("shop");
          permit !== undefined;
          permit = yield* limiter.acquire("shop")
        ) {
          permits.push(permit)
        }
        for (const { release } of permits) yield* release
        return permits.length
      })
      const rooms: Array<number> = []
      for (let went = 0; went <= 16; went++) {
        rooms.push(yield* room)
        const permit = yield* limiter.acquire("shop")
        if (permit !== undefined) yield* Effect.andThen(permit.report("success"), permit.release)
      }
      assert.deepStrictEqual(rooms, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8])
    }))

  it.effect("opens the circuit after ten consecutive failures, and not before", () =>
    Effect.gen(function* () {
      const { acquire, exchange, fail, limiter, log } = given()

      yield* fail(9)
      yield* exchange("success")
      yield* fail(9)
      assert.isTrue(isIn(yield* acquire()))
      yield* fail(1)

      assert.isFalse(isIn(yield* acquire()))
      assert.deepStrictEqual([limiter.isPaused(host, 0), limiter.isPaused("other.example", 0)], [true, false])
      assert.isTrue(yield* exchange("failure", "other.example"))
      assert.deepStrictEqual(log.told, [[host, true]])
    }))

  it.effect("admits one probe every 30 seconds until one succeeds", () =>
    Effect.gen(function* () {
      const { acquire, exchange, fail, log } = given()
      yield* fail(10)

      yield* TestClock.adjust("29 seconds")
      assert.isFalse(isIn(yield* acquire()))
      yield* TestClock.adjust("1 second")
      const probe = yield* acquire()
      assert.isFalse(isIn(yield* acquire()), "one probe at a time")
      yield* probe?.report("failure") ?? Effect.void
      yield* probe?.release ?? Effect.void
      assert.isFalse(isIn(yield* acquire()))

      yield* TestClock.adjust("30 seconds")
      assert.isTrue(yield* exchange("success"))
      assert.strictEqual((yield* Effect.forEach(Array.from({ length: 9 }), () => acquire())).filter(isIn).length, 8)
      assert.deepStrictEqual(log.told, [[host, true], [host, false]])
    }))

  it.effect("admits the next probe at once when the last one had no outcome", () =>
    Effect.gen(function* () {
      const { acquire, fail } = given()
      yield* fail(10)
      yield* TestClock.adjust("30 seconds")

      yield* (yield* acquire())?.release ?? Effect.void

      assert.isTrue(isIn(yield* acquire()))
    }))

  it.effect("keeps the circuit open after a restart, until the same time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const { acquire, log } = given({ failures: 10, lastFailureAt: 990_000 })

      assert.isFalse(isIn(yield* acquire()))
      yield* TestClock.adjust("19 seconds")
      assert.isFalse(isIn(yield* acquire()))
      yield* TestClock.adjust("1 second")
      assert.isTrue(isIn(yield* acquire()))
      assert.isFalse(isIn(yield* acquire()))
      assert.deepStrictEqual(log, { told: [[host, true]], asked: 1 })
    }))

  it.effect("continues the count of failures after a restart", () =>
    Effect.gen(function* () {
      const { acquire, fail } = given({ failures: 7, lastFailureAt: 0 })

      yield* fail(3)

      assert.isFalse(isIn(yield* acquire()))
    }))

  it.effect("treats a host as healthy while its history is unavailable, and reads the history again", () =>
    Effect.gen(function* () {
      const { acquire, exchange, how, log } = given()
      how.history = undefined

      const permit = yield* acquire()
      assert.isTrue(isIn(permit))
      assert.isTrue(yield* exchange("failure"))
      assert.strictEqual(log.asked, 1, "while it is in use it stays as it is")
      yield* permit?.release ?? Effect.void
      how.history = { failures: 10, lastFailureAt: 0 }

      assert.isFalse(isIn(yield* acquire()))
      assert.strictEqual(log.asked, 2)
    }))

  it.effect("remembers a limited number of hosts, and reads the history of others again", () =>
    Effect.gen(function* () {
      const { acquire, fail, limiter, log } = given()
      yield* fail(10)
      const busy = yield* acquire("busy.example")

      for (let n = 0; n < 6_000; n++) yield* (yield* acquire(`${n}.example`))?.release ?? Effect.void

      assert.isTrue(limiter.isPaused(host, 0))
      for (let n = 0; n < 7; n++) assert.isTrue(isIn(yield* acquire("busy.example")))
      assert.isFalse(isIn(yield* acquire("busy.example")))
      yield* busy?.release ?? Effect.void
      const before = log.asked
      yield* (yield* acquire("0.example"))?.release ?? Effect.void
      assert.strictEqual(log.asked, before + 1)
    }))
})
