import { assert, describe, it } from "@effect/vitest"
import { makeBodyBudget } from "../../../../infrastructure/http/bodies/body-budget.ts"

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
    assert.deepStrictEqual(greedy.slice(0, 3), [40, 30, 15])
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
})
