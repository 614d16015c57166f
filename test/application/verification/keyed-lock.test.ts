import { assert, describe, it } from "../../support/it.ts"
import { Data, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeKeyedLock } from "../../../application/verification/keyed-lock.ts"
import { untilDone } from "../../support/advance-clock.ts"

class Unavailable extends Data.TaggedError("Unavailable")<{}> {}

/** `hold` takes a key until the test releases it. `log` has the steps so far. */
const given = Effect.sync(() => {
  const { withKey } = makeKeyedLock({ patience: "5 seconds", isShared: (error) => error instanceof Unavailable })
  const log: Array<string> = []
  const hold = Effect.fnUntraced(function* (key: string, name: string) {
    const released = yield* Deferred.make<void>()
    const held = withKey(key)(
      Effect.sync(() => log.push(`${name} begins`)).pipe(
        Effect.andThen(Deferred.await(released)),
        Effect.andThen(Effect.sync(() => log.push(`${name} ends`)))
      )
    )
    const fiber = yield* Effect.forkChild(held, { startImmediately: true })
    return { fiber, release: Effect.andThen(Deferred.succeed(released, undefined), Effect.exit(Fiber.await(fiber))) }
  })
  return { withKey, log, hold }
})

describe("a keyed lock", () => {
  it.effect("admits one holder of a key at a time, in the order of arrival", function* () {
    const { log, hold } = yield* given
    const a = yield* hold("k", "a")
    const b = yield* hold("k", "b")
    const c = yield* hold("k", "c")
    assert.deepStrictEqual(log, ["a begins"])
    yield* a.release
    yield* c.fiber.pipe(Fiber.interrupt)
    yield* b.release
    assert.deepStrictEqual(log, ["a begins", "a ends", "b begins", "b ends"])
  })

  it.effect("does not block other keys", function* () {
    const { log, hold, withKey } = yield* given
    yield* hold("k", "a")
    yield* withKey("other")(Effect.sync(() => log.push("other")))
    assert.deepStrictEqual(log, ["a begins", "other"])
  })

  it.effect("admits the next waiter when the holder fails, dies or is interrupted", function* () {
    const { hold, withKey } = yield* given
    assert.isTrue(Exit.isFailure(yield* Effect.exit(withKey("k")(Effect.fail("no")))))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(withKey("k")(Effect.die("no")))))
    const { fiber } = yield* hold("k", "a")
    const next = yield* Effect.forkChild(withKey("k")(Effect.succeed("in")), { startImmediately: true })
    assert.isUndefined(next.pollUnsafe())
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(yield* Fiber.join(next), "in")
    assert.strictEqual(yield* withKey("k")(Effect.succeed("in")), "in")
  })

  it.effect("skips a waiter that was interrupted", function* () {
    const { log, hold } = yield* given
    const a = yield* hold("k", "a")
    const b = yield* hold("k", "b")
    const c = yield* hold("k", "c")
    yield* Fiber.interrupt(b.fiber)
    yield* a.release
    yield* c.release
    assert.deepStrictEqual(log, ["a begins", "a ends", "c begins", "c ends"])
  })

  it.effect("fails all waiters with a shared failure, and is free then", function* () {
    const { log, withKey } = yield* given
    const released = yield* Deferred.make<void>()
    const first = withKey("k")(Effect.andThen(Deferred.await(released), new Unavailable()))
    const waiter = withKey("k")(Effect.sync(() => log.push("tried as well")))
    const fibers = yield* Effect.forEach(
      [first, waiter, waiter],
      (one) => Effect.forkChild(Effect.flip(one), { startImmediately: true })
    )
    const interrupted = yield* Effect.forkChild(waiter, { startImmediately: true })
    yield* Deferred.succeed(released, undefined)
    yield* Fiber.interrupt(interrupted)
    for (const fiber of fibers) {
      assert.instanceOf(yield* Fiber.join(fiber), Unavailable)
    }
    assert.deepStrictEqual(log, [])
    assert.strictEqual(yield* withKey("k")(Effect.succeed("in")), "in")
  })

  it.effect("admits a waiter after its time limit, and keeps the order of the others", function* () {
    const { log, hold } = yield* given
    const stuck = yield* hold("k", "stuck")
    const b = yield* hold("k", "b")
    yield* TestClock.adjust("4999 millis")
    assert.deepStrictEqual(log, ["stuck begins"])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(log, ["stuck begins", "b begins"])

    const c = yield* hold("k", "c")
    yield* b.release
    assert.notInclude(log, "c begins", "b no longer held the key")
    yield* stuck.release
    assert.include(log, "c begins")
    yield* c.release
    assert.deepStrictEqual(log.at(-1), "c ends")
  })

  it.effect("is free after any mixture of holders, waiters and interruptions", function* () {
    const { hold, withKey } = yield* given
    for (let round = 0; round < 50; round++) {
      const fibers = yield* Effect.all(Array.from({ length: 5 }, (_, index) => hold("k", String(index))))
      const ranked = fibers.map(({ fiber }, index) => ({ fiber, rank: (index * (1 + round % 4) + round) % 5 }))
      for (const { fiber } of ranked.sort((one, other) => one.rank - other.rank)) yield* Fiber.interrupt(fiber)
      const free = yield* Effect.forkChild(withKey("k")(Effect.succeed("free")), { startImmediately: true })
      assert.isDefined(free.pollUnsafe(), `round ${round}`)
      yield* untilDone(free)
    }
  })
})
