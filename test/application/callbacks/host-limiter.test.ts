import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Permit } from "../../../application/processes/limiter.ts"
import { callbackLane } from "../../../projections/models/callbacks.ts"
import { type LaneHistory, makeHostLimiter } from "../../../application/callbacks/host-limiter.ts"

const host = "shop.example"

/** The lane of a branch at a host. */
const laneAt = (name: string, branchId = "silom") => callbackLane(branchId, name)
const lane = laneAt(host)

const given = (history: LaneHistory | undefined = { failures: 0, lastFailureAt: 0 }) => {
  const log = { circuits: [] as Array<readonly [string, boolean]>, historyReads: 0 }
  const state: { history: LaneHistory | undefined } = { history }
  const limiter = makeHostLimiter({
    successesPerSlot: 0,
    historyOf: () =>
      Effect.sync(() => {
        log.historyReads++
        return state.history
      }),
    onCircuit: (name, isOpen) => Effect.sync(() => void log.circuits.push([name, isOpen]))
  })
  const acquire = (name = host, branchId = "silom") => limiter.acquire(laneAt(name, branchId))
  /** Sends one request with the given outcome. Returns false when the limiter refuses it. */
  const exchange = Effect.fnUntraced(function* (outcome: "success" | "failure", name = host) {
    const permit = yield* acquire(name)
    if (permit === undefined) return false
    yield* permit.report(outcome)
    yield* permit.release
    return true
  })
  const fail = Effect.fnUntraced(function* (times: number) {
    for (let n = 0; n < times; n++) assert.isTrue(yield* exchange("failure"))
  })
  return { limiter, log, state, acquire, exchange, fail }
}

const isAdmitted = (permit: Permit | undefined): boolean => permit !== undefined

describe("the limiter of hosts", () => {
  it.effect("admits eight concurrent requests to each host", function* () {
    const { acquire, limiter } = given()

    const permits = yield* Effect.forEach(Array.from({ length: 9 }), () => acquire())

    assert.strictEqual(permits.filter(isAdmitted).length, 8)
    assert.deepStrictEqual([limiter.isBusy(lane, 0), limiter.isPaused(lane, 0)], [true, false])
    assert.isTrue(isAdmitted(yield* acquire("other.example")))
    yield* permits[3]?.release ?? Effect.void
    assert.isTrue(isAdmitted(yield* acquire()))
    assert.isFalse(isAdmitted(yield* acquire()))
  })

  it.effect("counts the failures and requests of each branch at a host for itself", function* () {
    const { acquire, fail, limiter } = given()
    yield* fail(10)

    assert.isFalse(isAdmitted(yield* acquire()))
    const permits = yield* Effect.forEach(Array.from({ length: 9 }), () => acquire(host, "asoke"))
    assert.strictEqual(permits.filter(isAdmitted).length, 8)
    assert.deepStrictEqual([limiter.isPaused(lane, 0), limiter.isPaused(laneAt(host, "asoke"), 0)], [true, false])
  })

  it.effect("admits 32 requests of all branches to a host, and one more of each branch without any", function* () {
    const { acquire, limiter } = given()
    const [first] = yield* Effect.forEach(Array.from({ length: 8 }), () => acquire())
    for (const branchId of ["asoke", "thonglor", "ari"]) {
      for (let n = 0; n < 8; n++) assert.isTrue(isAdmitted(yield* acquire(host, branchId)))
    }

    const own = yield* acquire(host, "bangna")
    assert.isTrue(isAdmitted(own))
    assert.isFalse(isAdmitted(yield* acquire(host, "bangna")))
    assert.isTrue(limiter.isBusy(laneAt(host, "bangna"), 0))
    assert.isTrue(isAdmitted(yield* acquire("other.example")))
    for (let n = 0; n < 31; n++) assert.isTrue(isAdmitted(yield* acquire(host, `branch-${n}`)))
    assert.isFalse(isAdmitted(yield* acquire(host, "branch-31")))

    yield* own?.release ?? Effect.void
    assert.isTrue(isAdmitted(yield* acquire(host, "branch-31")))
    yield* first?.release ?? Effect.void
    assert.isFalse(isAdmitted(yield* acquire()), "the host is still above its 32")
  })

  it.effect("admits one more request after a number of successes, up to eight", function* () {
    const limiter = makeHostLimiter({
      successesPerSlot: 2,
      historyOf: () => Effect.succeed({ failures: 0, lastFailureAt: 0 }),
      onCircuit: () => Effect.void
    })
    const capacity = Effect.gen(function* () {
      const permits: Array<Permit> = []
      for (
        let permit = yield* limiter.acquire(lane);
        permit !== undefined;
        permit = yield* limiter.acquire(lane)
      ) {
        permits.push(permit)
      }
      for (const { release } of permits) yield* release
      return permits.length
    })
    const capacities: Array<number> = []
    for (let successes = 0; successes <= 16; successes++) {
      capacities.push(yield* capacity)
      const permit = yield* limiter.acquire(lane)
      if (permit !== undefined) yield* Effect.andThen(permit.report("success"), permit.release)
    }
    assert.deepStrictEqual(capacities, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8])
  })

  it.effect("opens the circuit after ten consecutive failures, and not before", function* () {
    const { acquire, exchange, fail, limiter, log } = given()

    yield* fail(9)
    yield* exchange("success")
    yield* fail(9)
    assert.isTrue(isAdmitted(yield* acquire()))
    yield* fail(1)

    assert.isFalse(isAdmitted(yield* acquire()))
    assert.deepStrictEqual([limiter.isPaused(lane, 0), limiter.isPaused(laneAt("other.example"), 0)], [true, false])
    assert.isTrue(yield* exchange("failure", "other.example"))
    assert.deepStrictEqual(log.circuits, [[lane, true]])
  })

  it.effect("admits one probe every 30 seconds until one succeeds", function* () {
    const { acquire, exchange, fail, log } = given()
    yield* fail(10)

    yield* TestClock.adjust("29 seconds")
    assert.isFalse(isAdmitted(yield* acquire()))
    yield* TestClock.adjust("1 second")
    const probe = yield* acquire()
    assert.isFalse(isAdmitted(yield* acquire()), "one probe at a time")
    yield* probe?.report("failure") ?? Effect.void
    yield* probe?.release ?? Effect.void
    assert.isFalse(isAdmitted(yield* acquire()))

    yield* TestClock.adjust("30 seconds")
    assert.isTrue(yield* exchange("success"))
    assert.strictEqual(
      (yield* Effect.forEach(Array.from({ length: 9 }), () => acquire())).filter(isAdmitted).length,
      8
    )
    assert.deepStrictEqual(log.circuits, [[lane, true], [lane, false]])
  })

  it.effect("admits the next probe at once when the last one had no outcome", function* () {
    const { acquire, fail } = given()
    yield* fail(10)
    yield* TestClock.adjust("30 seconds")

    yield* (yield* acquire())?.release ?? Effect.void

    assert.isTrue(isAdmitted(yield* acquire()))
  })

  it.effect("keeps the circuit open after a restart, until the same time", function* () {
    yield* TestClock.setTime(1_000_000)
    const { acquire, log } = given({ failures: 10, lastFailureAt: 990_000 })

    assert.isFalse(isAdmitted(yield* acquire()))
    yield* TestClock.adjust("19 seconds")
    assert.isFalse(isAdmitted(yield* acquire()))
    yield* TestClock.adjust("1 second")
    assert.isTrue(isAdmitted(yield* acquire()))
    assert.isFalse(isAdmitted(yield* acquire()))
    assert.deepStrictEqual(log, { circuits: [[lane, true]], historyReads: 1 })
  })

  it.effect("continues the count of failures after a restart", function* () {
    const { acquire, fail } = given({ failures: 7, lastFailureAt: 0 })

    yield* fail(3)

    assert.isFalse(isAdmitted(yield* acquire()))
  })

  it.effect("treats a host as healthy while its history is unavailable, and reads the history again", function* () {
    const { acquire, exchange, log, state } = given()
    state.history = undefined

    const permit = yield* acquire()
    assert.isTrue(isAdmitted(permit))
    assert.isTrue(yield* exchange("failure"))
    assert.strictEqual(log.historyReads, 1, "the history is not read while the host is in use")
    yield* permit?.release ?? Effect.void
    state.history = { failures: 10, lastFailureAt: 0 }

    assert.isFalse(isAdmitted(yield* acquire()))
    assert.strictEqual(log.historyReads, 2)
  })

  it.effect("remembers a limited number of hosts, and reads the history of others again", function* () {
    const { acquire, fail, limiter, log } = given()
    yield* fail(10)
    const busy = yield* acquire("busy.example")

    for (let n = 0; n < 6_000; n++) yield* (yield* acquire(`${n}.example`))?.release ?? Effect.void

    assert.isTrue(limiter.isPaused(lane, 0))
    for (let n = 0; n < 7; n++) assert.isTrue(isAdmitted(yield* acquire("busy.example")))
    assert.isFalse(isAdmitted(yield* acquire("busy.example")))
    yield* busy?.release ?? Effect.void
    const before = log.historyReads
    yield* (yield* acquire("0.example"))?.release ?? Effect.void
    assert.strictEqual(log.historyReads, before + 1)
  })
})
