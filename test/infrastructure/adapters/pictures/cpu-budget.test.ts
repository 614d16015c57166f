import { assert, describe, it } from "@effect/vitest"
import { makeCpuBudget } from "../../../../infrastructure/adapters/pictures/cpu-budget.ts"

/** 30 seconds of CPU time in a minute: two seconds refill one. */
const given = () => makeCpuBudget(30_000)

describe("the CPU budget of a branch", () => {
  it("admits until a minute's worth is used up, then says when it is refilled", () => {
    const budget = given()
    budget.charge("one", 29_999, 0)
    assert.strictEqual(budget.retryAfterSeconds("one", 0), 0)
    budget.charge("one", 5_001, 0)
    assert.strictEqual(budget.retryAfterSeconds("one", 0), 11)
    assert.strictEqual(budget.retryAfterSeconds("one", 9_999), 1)
    assert.strictEqual(budget.retryAfterSeconds("one", 11_000), 0)
  })

  it("admits at the announced second, whatever the fractions", () => {
    for (const perMinute of [1, 7, 30_000]) {
      for (const used of [perMinute + 1, perMinute + 33, perMinute + 34.567]) {
        const budget = makeCpuBudget(perMinute)
        budget.charge("one", used, 0)
        assert.strictEqual(budget.retryAfterSeconds("one", 1_000 * budget.retryAfterSeconds("one", 0)), 0)
      }
    }
  })

  it("is counted for each branch alone", () => {
    const budget = given()
    budget.charge("one", 60_000, 0)
    assert.isAbove(budget.retryAfterSeconds("one", 0), 0)
    assert.strictEqual(budget.retryAfterSeconds("two", 0), 0)
  })

  it("saves up no more than a minute's worth", () => {
    const budget = given()
    budget.charge("one", 1, 0)
    budget.charge("one", 30_000, 3_600_000)
    assert.isAbove(budget.retryAfterSeconds("one", 3_600_000), 0)
  })

  it("adds nothing when the clock is set back", () => {
    const budget = given()
    budget.charge("one", 31_000, 10_000)
    assert.strictEqual(budget.retryAfterSeconds("one", 0), 3)
  })

  it("keeps the debts when it forgets branches that have none", () => {
    const budget = given()
    budget.charge("in debt", 60_000, 0)
    for (let index = 0; index < 20_000; index++) budget.charge(`branch ${index}`, 1, index)
    assert.isAbove(budget.retryAfterSeconds("in debt", 20_000), 0)
  })

  it("of 0 is no limit", () => {
    const budget = makeCpuBudget(0)
    budget.charge("one", 1e9, 0)
    assert.strictEqual(budget.retryAfterSeconds("one", 0), 0)
  })
})
