import { assert, describe, it } from "../support/it.ts"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { Leases } from "../../ports/leases.ts"
import { until, untilDone } from "../support/advance-clock.ts"

/** What every adapter of the Leases port must do. `layer` gives leases without holders, new ones for each test. */
export const leasesContract = <E>(engine: string, layer: () => Layer.Layer<Leases, E>): void => {
  const test = it.effect.with(layer)

  describe(`Leases on ${engine}`, () => {
    test("have one holder at a time, and each of many waiters holds them once", function* () {
      const leases = yield* Leases
      let running = 0
      let most = 0
      let done = 0
      const run = Effect.gen(function* () {
        most = Math.max(most, ++running)
        for (let turn = 0; turn < 3; turn++) yield* Effect.yieldNow
        running--
        done++
      })
      const all = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 8 }), () => leases.whileHolding("rebuild", run), {
          concurrency: "unbounded"
        })
      )
      yield* untilDone(all)
      yield* Fiber.join(all)
      assert.deepStrictEqual({ most, done }, { most: 1, done: 8 })
    })

    test("return the result of the effect: a value, an error or a defect", function* () {
      const leases = yield* Leases
      const outcomes: Array<Exit.Exit<string, string>> = []
      for (const run of [Effect.succeed("value"), Effect.fail("error"), Effect.die("defect")]) {
        const fiber = yield* Effect.forkChild(Effect.exit(leases.whileHolding("rebuild", run)))
        yield* untilDone(fiber)
        outcomes.push(yield* Fiber.join(fiber))
      }
      assert.deepStrictEqual(outcomes, [Exit.succeed("value"), Exit.fail("error"), Exit.die("defect")])
    })

    test("pass to the next waiter when the holder is interrupted", function* () {
      const leases = yield* Leases
      const held = yield* Deferred.make<void>()
      let ended = false
      const first = yield* Effect.forkChild(leases.whileHolding(
        "rebuild",
        Deferred.succeed(held, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.ensuring(Effect.sync(() => {
            ended = true
          }))
        )
      ))
      yield* untilDone(yield* Effect.forkChild(Deferred.await(held)))
      const second = yield* Effect.forkChild(leases.whileHolding("rebuild", Effect.sync(() => ended)))
      yield* turns
      assert.isUndefined(second.pollUnsafe())
      yield* Fiber.interrupt(first)
      yield* untilDone(second)
      assert.isTrue(yield* Fiber.join(second))
    })

    test("remove a waiter that is interrupted", function* () {
      const leases = yield* Leases
      const end = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(leases.whileHolding("rebuild", Deferred.await(end)))
      yield* turns
      let ran = false
      const second = yield* Effect.forkChild(leases.whileHolding(
        "rebuild",
        Effect.sync(() => {
          ran = true
        })
      ))
      yield* turns
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(end, undefined)
      yield* untilDone(first)
      const third = yield* Effect.forkChild(leases.whileHolding("rebuild", Effect.succeed("third")))
      yield* untilDone(third)
      assert.strictEqual(yield* Fiber.join(third), "third")
      assert.isFalse(ran)
    })

    test("of different names are independent", function* () {
      const leases = yield* Leases
      const first = yield* Effect.forkChild(leases.whileHolding("quota.v1", Effect.never))
      yield* turns
      const other = yield* Effect.forkChild(leases.whileHolding("quota.v2", Effect.succeed("other")))
      yield* untilDone(other)
      assert.strictEqual(yield* Fiber.join(other), "other")
      assert.isUndefined(first.pollUnsafe())
      yield* Fiber.interrupt(first)
    })
  })
}

/** Runs other fibers for a while, so that a wrong step would show. */
const turns = Effect.suspend(() => {
  let left = 5
  return until(Effect.sync(() => left-- === 0))
})
