import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { makeBodyBudget } from "../../../../../infrastructure/web/http/bodies/body-budget.ts"

const budget = () => makeBodyBudget({ total: 100, perOwner: 40 })

describe("the budget of bodies", () => {
  it("limits an owner over all its requests, and not another owner", () => {
    const { reserve } = budget()
    assert.isUndefined(reserve("silom").add(30))
    assert.isUndefined(reserve("silom").add(10))
    assert.strictEqual(reserve("silom").add(1), "owner")
    assert.isUndefined(reserve("siam").add(40))
  })

  it("keeps a share free while several owners use as much as they get", () => {
    const { reserve } = budget()
    const greedy = Array.from({ length: 20 }, (_, owner) => {
      const reservation = reserve(String(owner))
      let held = 0
      while (reservation.add(1) === undefined) held += 1
      return held
    })
    assert.deepStrictEqual(greedy.slice(0, 3), [50, 25, 13])
    const { add } = budget().reserve("silom")
    assert.isUndefined(add(40))
    assert.strictEqual(makeBodyBudget({ total: 10, perOwner: 40 }).reserve("silom").add(11), "total")
  })

  it("takes the bytes of a request back once", () => {
    const { reserve } = budget()
    const [first, second] = [reserve("silom"), reserve("silom")]
    assert.isUndefined(first.add(20))
    assert.isUndefined(second.add(20))
    first.release()
    first.release()
    assert.isUndefined(reserve("silom").add(20))
    assert.strictEqual(reserve("silom").add(1), "owner")
  })

  it("admits one request above the owner's limit when the owner holds nothing", () => {
    const { reserve } = budget()
    const large = reserve("silom")
    assert.isUndefined(large.add(45))
    assert.isUndefined(large.add(1))
    assert.strictEqual(reserve("silom").add(1), "owner")
    large.release()
    assert.isUndefined(reserve("silom").add(1))
    assert.strictEqual(reserve("silom").add(45), "owner")
  })

  const start = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })

  it.effect("lets requests of an owner wait in order until there is room, and no other owner", function* () {
    const { reserve } = budget()
    const first = reserve("silom")
    assert.isUndefined(first.add(40))
    const second = reserve("silom")
    const [forSecond, forThird] = [yield* start(second.addInTurn(30)), yield* start(reserve("silom").addInTurn(10))]
    assert.isUndefined(yield* reserve("siam").addInTurn(10))
    assert.deepStrictEqual([forSecond.pollUnsafe(), forThird.pollUnsafe()], [undefined, undefined])
    first.release()
    assert.deepStrictEqual([yield* Fiber.join(forSecond), yield* Fiber.join(forThird)], [undefined, undefined])
    assert.strictEqual(reserve("silom").add(1), "owner")
  })

  it.effect("lets the next request pass when a waiting one leaves", function* () {
    const { reserve } = budget()
    assert.isUndefined(reserve("silom").add(30))
    const large = yield* start(reserve("silom").addInTurn(20))
    const small = yield* start(reserve("silom").addInTurn(10))
    assert.isUndefined(small.pollUnsafe())
    yield* Fiber.interrupt(large)
    assert.isUndefined(yield* Fiber.join(small))
    assert.strictEqual(reserve("silom").add(1), "owner")
  })

  it.effect("refuses a waiting request when all owners together have too little left", function* () {
    const { reserve } = budget()
    const first = reserve("silom")
    assert.isUndefined(first.add(40))
    assert.isUndefined(reserve("siam").add(40))
    const waiting = yield* start(reserve("silom").addInTurn(61))
    first.release()
    assert.strictEqual(yield* Fiber.join(waiting), "total")
  })
})
