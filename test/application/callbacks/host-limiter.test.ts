import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Pass } from "../../../application/processes/limiter.ts"
import { type HostHistory, makeHostGate } from "../../../application/callbacks/host-limiter.ts"

const host = "shop.example"

const given = (history: HostHistory | undefined = { failures: 0, lastFailureAt: 0 }) => {
  const log = { told: [] as Array<readonly [string, boolean]>, asked: 0 }
  const how: { history: HostHistory | undefined } = { history }
  const gate = makeHostGate({
    goodForOneMore: 0,
    historyOf: () =>
      Effect.sync(() => {
        log.asked++
        return how.history
      }),
    onCircuit: (name, isOpen) => Effect.sync(() => void log.told.push([name, isOpen]))
  })
  const enter = (name = host) => gate.enter(name)
  /** One exchange, from its beginning to its end. */
  const exchange = Effect.fnUntraced(function* (went: "well" | "badly", name = host) {
    const pass = yield* enter(name)
    if (pass === undefined) return false
    yield* pass.report(went)
    yield* pass.leave
    return true
  })
  const fail = Effect.fnUntraced(function* (times: number) {
    for (let n = 0; n < times; n++) assert.isTrue(yield* exchange("badly"))
  })
  return { gate, log, how, enter, exchange, fail }
}

const isIn = (pass: Pass | undefined): boolean => pass !== undefined

describe("the gate in front of hosts", () => {
  it.effect("lets in eight at a time to each of them", () =>
    Effect.gen(function* () {
      const { enter, gate } = given()

      const passes = yield* Effect.forEach(Array.from({ length: 9 }), () => enter())

      assert.strictEqual(passes.filter(isIn).length, 8)
      assert.deepStrictEqual([gate.isTaken(host, 0), gate.isShut(host, 0)], [true, false])
      assert.isTrue(isIn(yield* enter("other.example")))
      yield* passes[3]?.leave ?? Effect.void
      assert.isTrue(isIn(yield* enter()))
      assert.isFalse(isIn(yield* enter()))
    }))

  it.effect("lets in one more at a time for every few that went well, up to eight", () =>
    Effect.gen(function* () {
      const gate = makeHostGate({
        goodForOneMore: 2,
        historyOf: () => Effect.succeed({ failures: 0, lastFailureAt: 0 }),
        onCircuit: () => Effect.void
      })
      const room = Effect.gen(function* () {
        const passes: Array<Pass> = []
        for (let pass = yield* gate.enter("shop"); pass !== undefined; pass = yield* gate.enter("shop")) {
          passes.push(pass)
        }
        for (const { leave } of passes) yield* leave
        return passes.length
      })
      const rooms: Array<number> = []
      for (let went = 0; went <= 16; went++) {
        rooms.push(yield* room)
        const pass = yield* gate.enter("shop")
        if (pass !== undefined) yield* Effect.andThen(pass.report("well"), pass.leave)
      }
      assert.deepStrictEqual(rooms, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8])
    }))

  it.effect("shuts after ten failures in a row, and not before", () =>
    Effect.gen(function* () {
      const { enter, exchange, fail, gate, log } = given()

      yield* fail(9)
      yield* exchange("well")
      yield* fail(9)
      assert.isTrue(isIn(yield* enter()))
      yield* fail(1)

      assert.isFalse(isIn(yield* enter()))
      assert.deepStrictEqual([gate.isShut(host, 0), gate.isShut("other.example", 0)], [true, false])
      assert.isTrue(yield* exchange("badly", "other.example"))
      assert.deepStrictEqual(log.told, [[host, true]])
    }))

  it.effect("lets one probe in every 30 seconds, until one goes well", () =>
    Effect.gen(function* () {
      const { enter, exchange, fail, log } = given()
      yield* fail(10)

      yield* TestClock.adjust("29 seconds")
      assert.isFalse(isIn(yield* enter()))
      yield* TestClock.adjust("1 second")
      const probe = yield* enter()
      assert.isFalse(isIn(yield* enter()), "one probe at a time")
      yield* probe?.report("badly") ?? Effect.void
      yield* probe?.leave ?? Effect.void
      assert.isFalse(isIn(yield* enter()))

      yield* TestClock.adjust("30 seconds")
      assert.isTrue(yield* exchange("well"))
      assert.strictEqual((yield* Effect.forEach(Array.from({ length: 9 }), () => enter())).filter(isIn).length, 8)
      assert.deepStrictEqual(log.told, [[host, true], [host, false]])
    }))

  it.effect("lets the next probe in at once when nothing came of the last one", () =>
    Effect.gen(function* () {
      const { enter, fail } = given()
      yield* fail(10)
      yield* TestClock.adjust("30 seconds")

      yield* (yield* enter())?.leave ?? Effect.void

      assert.isTrue(isIn(yield* enter()))
    }))

  it.effect("is shut after a restart as it was before, until the same moment", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      const { enter, log } = given({ failures: 10, lastFailureAt: 990_000 })

      assert.isFalse(isIn(yield* enter()))
      yield* TestClock.adjust("19 seconds")
      assert.isFalse(isIn(yield* enter()))
      yield* TestClock.adjust("1 second")
      assert.isTrue(isIn(yield* enter()))
      assert.isFalse(isIn(yield* enter()))
      assert.deepStrictEqual(log, { told: [[host, true]], asked: 1 })
    }))

  it.effect("counts on from what failed before a restart", () =>
    Effect.gen(function* () {
      const { enter, fail } = given({ failures: 7, lastFailureAt: 0 })

      yield* fail(3)

      assert.isFalse(isIn(yield* enter()))
    }))

  it.effect("takes a host for a good one while its history can't be had, and asks again", () =>
    Effect.gen(function* () {
      const { enter, exchange, how, log } = given()
      how.history = undefined

      const pass = yield* enter()
      assert.isTrue(isIn(pass))
      assert.isTrue(yield* exchange("badly"))
      assert.strictEqual(log.asked, 1, "while it is in use it stays as it is")
      yield* pass?.leave ?? Effect.void
      how.history = { failures: 10, lastFailureAt: 0 }

      assert.isFalse(isIn(yield* enter()))
      assert.strictEqual(log.asked, 2)
    }))

  it.effect("remembers what matters of any number of hosts, and asks anew for the rest", () =>
    Effect.gen(function* () {
      const { enter, fail, gate, log } = given()
      yield* fail(10)
      const busy = yield* enter("busy.example")

      for (let n = 0; n < 6_000; n++) yield* (yield* enter(`${n}.example`))?.leave ?? Effect.void

      assert.isTrue(gate.isShut(host, 0))
      for (let n = 0; n < 7; n++) assert.isTrue(isIn(yield* enter("busy.example")))
      assert.isFalse(isIn(yield* enter("busy.example")))
      yield* busy?.leave ?? Effect.void
      const before = log.asked
      yield* (yield* enter("0.example"))?.leave ?? Effect.void
      assert.strictEqual(log.asked, before + 1)
    }))
})
