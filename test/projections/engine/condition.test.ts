import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeCondition } from "../../../projections/engine/condition.ts"

describe("a condition", () => {
  it.effect("wakes the waiters whose predicate holds, and no others", () =>
    Effect.gen(function* () {
      const { await: awaitUntil, notifyAll, waiting } = makeCondition()
      let head = 0
      const beyond = (place: number) => Effect.forkChild(awaitUntil(() => head > place), { startImmediately: true })
      const [first, second] = [yield* beyond(0), yield* beyond(1)]
      head = 1
      notifyAll()
      yield* Fiber.join(first)
      assert.isUndefined(second.pollUnsafe())
      head = 2
      notifyAll()
      yield* Fiber.join(second)
      assert.strictEqual(waiting(), 0)
    }))

  it.effect("does not block a waiter whose predicate holds already", () =>
    Effect.gen(function* () {
      const { await: awaitUntil, waiting } = makeCondition()
      yield* awaitUntil(() => true)
      assert.strictEqual(waiting(), 0)
    }))

  it.effect("keeps no waiter that was woken or interrupted", () =>
    Effect.gen(function* () {
      const { await: awaitUntil, notifyAll, waiting } = makeCondition()
      let isSo = false
      for (let round = 0; round < 50; round++) {
        isSo = false
        const [woken, left] = yield* Effect.all([
          Effect.forkChild(awaitUntil(() => isSo), { startImmediately: true }),
          Effect.forkChild(awaitUntil(() => isSo), { startImmediately: true })
        ])
        yield* Fiber.interrupt(left)
        isSo = true
        notifyAll()
        yield* Fiber.join(woken)
        assert.strictEqual(waiting(), 0)
      }
    }))

  it.effect("lets a woken waiter wait again during the same notification", () =>
    Effect.gen(function* () {
      const { await: awaitUntil, notifyAll, waiting } = makeCondition()
      let rings = 0
      const twice = Effect.andThen(awaitUntil(() => rings > 0), awaitUntil(() => rings > 1))
      const fiber = yield* Effect.forkChild(twice, { startImmediately: true })
      rings = 1
      notifyAll()
      yield* Effect.yieldNow
      assert.strictEqual(waiting(), 1)
      rings = 2
      notifyAll()
      yield* Fiber.join(fiber)
    }))
})
