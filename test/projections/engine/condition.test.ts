import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber } from "effect"
import { makeCondition } from "../../../projections/engine/condition.ts"

describe("a condition", () => {
  it.effect("wakes the waiters whose predicate holds, and no others", function* () {
    const { await: awaitUntil, notifyAll, waiting } = makeCondition()
    let head = 0
    const waitBeyond = (position: number) =>
      Effect.forkChild(awaitUntil(() => head > position), { startImmediately: true })
    const [first, second] = [yield* waitBeyond(0), yield* waitBeyond(1)]
    head = 1
    notifyAll()
    yield* Fiber.join(first)
    assert.isUndefined(second.pollUnsafe())
    head = 2
    notifyAll()
    yield* Fiber.join(second)
    assert.strictEqual(waiting(), 0)
  })

  it.effect("does not block a waiter whose predicate already holds", function* () {
    const { await: awaitUntil, waiting } = makeCondition()
    yield* awaitUntil(() => true)
    assert.strictEqual(waiting(), 0)
  })

  it.effect("keeps no waiter that was woken or interrupted", function* () {
    const { await: awaitUntil, notifyAll, waiting } = makeCondition()
    let isTrue = false
    for (let round = 0; round < 50; round++) {
      isTrue = false
      const [woken, interrupted] = yield* Effect.all([
        Effect.forkChild(awaitUntil(() => isTrue), { startImmediately: true }),
        Effect.forkChild(awaitUntil(() => isTrue), { startImmediately: true })
      ])
      yield* Fiber.interrupt(interrupted)
      isTrue = true
      notifyAll()
      yield* Fiber.join(woken)
      assert.strictEqual(waiting(), 0)
    }
  })

  it.effect("lets a woken waiter wait again during the same notification", function* () {
    const { await: awaitUntil, notifyAll, waiting } = makeCondition()
    let notifications = 0
    const twice = Effect.andThen(awaitUntil(() => notifications > 0), awaitUntil(() => notifications > 1))
    const fiber = yield* Effect.forkChild(twice, { startImmediately: true })
    notifications = 1
    notifyAll()
    yield* Effect.yieldNow
    assert.strictEqual(waiting(), 1)
    notifications = 2
    notifyAll()
    yield* Fiber.join(fiber)
  })
})
