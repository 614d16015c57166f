import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeCircuit } from "../../../../infrastructure/banks/upstream/circuit.ts"
import { inTrouble, type NoStatement, unusable } from "../../../../infrastructure/banks/upstream/gateway.ts"

const given = () => {
  const changes: Array<boolean> = []
  let asked = 0
  const circuit = makeCircuit("SCB", (isOpen) => Effect.sync(() => void changes.push(isOpen)))
  const ask = (answer: Effect.Effect<string, NoStatement>) =>
    Effect.exit(circuit.through(Effect.suspend(() => {
      asked++
      return answer
    })))
  return { ask, asked: () => asked, changes, circuit }
}

const well = Effect.succeed("well")
const badly = Effect.fail(inTrouble("down"))
const unclear = Effect.fail(unusable("unclear", null))

const failingTimes = (times: number) => Effect.forEach(Array.from({ length: times }), () => Effect.succeed(badly))

describe("a circuit", () => {
  const opened = Effect.gen(function* () {
    const it = given()
    for (const answer of yield* failingTimes(5)) yield* it.ask(answer)
    return it
  })

  it.effect("opens with the fifth trouble in a row and turns away at once, saying for how long", () =>
    Effect.gen(function* () {
      const { ask, asked, changes } = given()
      for (const answer of yield* failingTimes(4)) yield* ask(answer)
      yield* ask(well)
      for (const answer of yield* failingTimes(4)) yield* ask(answer)
      assert.deepStrictEqual(changes, [])
      yield* ask(badly)
      assert.deepStrictEqual(changes, [true])
      assert.strictEqual(asked(), 10)

      yield* TestClock.adjust("2500 millis")
      const exit = yield* ask(well)

      assert.strictEqual(asked(), 10)
      assert(Exit.isFailure(exit))
      const error = yield* Effect.flip(exit)
      assert.deepInclude(error, { retryAfterSeconds: 8, concerns: "gateway" })
    }))

  it.effect("does not open for answers that only say nothing of a slip", () =>
    Effect.gen(function* () {
      const { ask, asked } = given()
      for (let times = 0; times < 20; times++) yield* ask(unclear)
      assert.strictEqual(asked(), 20)
    }))

  it.effect("lets one question through after ten seconds, and closes when that goes well", () =>
    Effect.gen(function* () {
      const { ask, asked, changes } = yield* opened
      yield* TestClock.adjust("9999 millis")
      yield* ask(well)
      assert.strictEqual(asked(), 5)

      yield* TestClock.adjust("1 millis")
      const answer = Deferred.makeUnsafe<string>()
      const probe = yield* Effect.forkChild(ask(Deferred.await(answer)), { startImmediately: true })
      for (let times = 0; times < 3; times++) yield* ask(well)
      assert.strictEqual(asked(), 6)

      yield* Deferred.succeed(answer, "well")
      yield* Fiber.join(probe)
      yield* ask(well)
      assert.strictEqual(asked(), 7)
      assert.deepStrictEqual(changes, [true, false])
    }))

  it.effect("stays open for another ten seconds when that goes badly", () =>
    Effect.gen(function* () {
      const { ask, asked, changes } = yield* opened
      yield* TestClock.adjust("10 seconds")
      yield* ask(badly)
      assert.strictEqual(asked(), 6)

      yield* TestClock.adjust("9999 millis")
      yield* ask(well)
      assert.strictEqual(asked(), 6)
      yield* TestClock.adjust("1 millis")
      yield* ask(well)
      assert.strictEqual(asked(), 7)
      assert.deepStrictEqual(changes, [true, false])
    }))

  it.effect("lets another one through where the first was interrupted", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* opened
      yield* TestClock.adjust("10 seconds")
      const probe = yield* Effect.forkChild(ask(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(probe)

      assert.isTrue(Exit.isSuccess(yield* ask(well)))
      assert.strictEqual(asked(), 7)
    }))

  it.effect("learns nothing of questions from before it opened that end after it", () =>
    Effect.gen(function* () {
      const { ask, changes, circuit } = given()
      const early = Deferred.makeUnsafe<string, NoStatement>()
      const late = Deferred.makeUnsafe<string, NoStatement>()
      const fibers = yield* Effect.forEach([early, late], (answer) =>
        Effect.forkChild(ask(Deferred.await(answer)), { startImmediately: true }))
      for (const answer of yield* failingTimes(5)) {
        yield* ask(answer)
      }

      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(early, "well")
      yield* Deferred.fail(late, inTrouble("down"))
      yield* Effect.forEach(fibers, Fiber.join)

      assert.deepStrictEqual(changes, [true])
      assert.strictEqual(circuit.shutMillis(5_000), 5_000)
    }))
})
