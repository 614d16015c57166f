import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type FairPermitsOptions, makeFairPermits } from "../../../application/fairness/fair-permits.ts"

/** Permits with effects that run until the test ends them. */
const given = (options: Partial<FairPermitsOptions> = {}) => {
  const permits = makeFairPermits({ size: 1, perKey: 1, spare: 0, maxWaiting: 8, maxWait: "10 seconds", ...options })
  const started: Array<string> = []
  /** Starts an effect of the key that is named `name`. */
  const run = Effect.fnUntraced(function* (name: string, key = name) {
    const end = yield* Deferred.make<void>()
    const effect = Effect.andThen(Effect.sync(() => started.push(name)), Deferred.await(end))
    const fiber = yield* Effect.forkChild(Effect.result(permits.withPermit(key)(effect)), { startImmediately: true })
    const outcome = Effect.map(
      Fiber.join(fiber),
      (result) => result._tag === "Success" ? "done" : result.failure.reason
    )
    return {
      outcome,
      interrupt: Fiber.interrupt(fiber),
      end: Effect.andThen(Deferred.succeed(end, undefined), outcome)
    }
  })
  return { run, started, occupy: permits.occupy }
}

describe("fair permits", () => {
  it.effect("serve the keys in turn, however many effects of one key wait", function* () {
    const { run, started } = given()
    const names = ["a1", "a2", "a3", "b1", "c1", "b2"]
    const effects = yield* Effect.forEach(names, (name) => run(name, name.charAt(0)))
    for (const { end } of [0, 1, 3, 4, 2, 5].flatMap((index) => effects[index] ?? [])) yield* end
    assert.deepStrictEqual(started, ["a1", "a2", "b1", "c1", "a3", "b2"])
  })

  it.effect("give a key at most its share, and leave the rest to others", function* () {
    const { run, started } = given({ size: 3, perKey: 2 })
    for (const name of ["a1", "a2", "a3", "b1"]) yield* run(name, name.charAt(0))
    assert.deepStrictEqual(started, ["a1", "a2", "b1"])
  })

  it.effect("have spare ones for keys that hold none", function* () {
    const { run, started } = given({ size: 2, perKey: 2, spare: 1 })
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) yield* run(name, name.charAt(0))
    assert.deepStrictEqual(started, ["a1", "a2", "b1"])
  })

  it.effect("refuse an effect that waited too long, and say whether its own key was the reason", function* () {
    const { run, started } = given()
    const first = yield* run("a1", "a")
    const own = yield* run("a2", "a")
    const other = yield* run("b1", "b")
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual([yield* own.outcome, yield* other.outcome], ["own-share", "overload"])
    yield* first.end
    assert.deepStrictEqual(started, ["a1"])
  })

  it.effect("let the key with the most waiting effects make room in a full queue", function* () {
    const { run, started } = given({ maxWaiting: 3 })
    const first = yield* run("a1", "a")
    const second = yield* run("a2", "a")
    const third = yield* run("a3", "a")
    const last = yield* run("a4", "a")
    const refused = yield* run("a5", "a")
    assert.strictEqual(yield* refused.outcome, "own-share")

    const other = yield* run("b1", "b")
    assert.strictEqual(yield* last.outcome, "own-share")
    for (const { end } of [first, second, other, third]) yield* end
    assert.deepStrictEqual(started, ["a1", "a2", "b1", "a3"])
  })

  it.effect("refuse a new key when the queue is full of keys with one effect each", function* () {
    const { run } = given({ maxWaiting: 2 })
    for (const name of ["a", "b", "c"]) yield* run(name)
    const refused = yield* run("d")
    assert.strictEqual(yield* refused.outcome, "overload")
  })

  it.effect("pass on the permit of an interrupted effect, and the place of one that waited", function* () {
    const { run, started } = given({ maxWaiting: 1 })
    const running = yield* run("a")
    const waiting = yield* run("b")
    yield* waiting.interrupt
    yield* run("c")
    yield* running.interrupt
    yield* Effect.yieldNow
    assert.deepStrictEqual(started, ["a", "c"])
  })

  it.effect("count work that an effect left behind for its key, and for no other key", function* () {
    const { occupy, run, started } = given({ size: 2, perKey: 2 })
    for (let count = 0; count < 2; count++) occupy("a", new Promise(() => {}))
    for (const name of ["a1", "b1", "b2"]) yield* run(name, name.charAt(0))
    assert.deepStrictEqual(started, ["b1", "b2"])
  })

  it.effect("start a waiting effect when the work that its key left behind has ended", function* () {
    for (const outcome of ["done", "failed"]) {
      const { occupy, run, started } = given()
      let end = (): void => {}
      const work = new Promise<void>((resolve, reject) => {
        end = outcome === "done" ? resolve : () => reject(new Error("the work failed"))
      })
      occupy("a", work)
      const waiting = yield* run("a1", "a")
      assert.deepStrictEqual(started, [])
      end()
      yield* waiting.end
      assert.deepStrictEqual(started, ["a1"])
    }
  })

  it.effect("give no spare permit to a key that left work behind", function* () {
    const { occupy, run, started } = given({ size: 1, perKey: 2, spare: 1 })
    yield* run("b1", "b")
    occupy("a", new Promise(() => {}))
    for (const name of ["a1", "c1"]) yield* run(name, name.charAt(0))
    assert.deepStrictEqual(started, ["b1", "c1"])
  })
})
