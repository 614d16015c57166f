import { assert, describe, it } from "@effect/vitest"
import { makeFailureCount } from "../../../../infrastructure/banks/sandbox/failure-count.ts"

describe("a failure count", () => {
  it("lets each key fail as often as it says and never again", () => {
    const count = makeFailureCount(2)

    const first = [count.fails("a"), count.fails("a"), count.fails("a"), count.fails("a")]
    const other = [count.fails("b"), count.fails("b"), count.fails("b")]

    assert.deepStrictEqual(first, [true, true, false, false])
    assert.deepStrictEqual(other, [true, true, false])
  })

  it("forgets the key that came first when it is full", () => {
    const count = makeFailureCount(1, 2)
    count.fails("a")
    count.fails("b")

    count.fails("c")

    assert.isFalse(count.fails("b"))
    assert.isFalse(count.fails("c"))
    assert.isTrue(count.fails("a"))
  })
})
