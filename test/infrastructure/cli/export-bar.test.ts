import { assert, describe, it } from "@effect/vitest"
import { bar } from "../../../infrastructure/cli/export/bar.ts"

describe("the bar of an export", () => {
  it("tells how much is done, and always has the same length", () => {
    assert.strictEqual(bar(0, 200), "[------------------------]   0 %")
    assert.strictEqual(bar(50, 200), "[######------------------]  25 %")
    assert.strictEqual(bar(199, 200), "[#######################-]  99 %")
    assert.strictEqual(bar(200, 200), "[########################] 100 %")
  })

  it("is full when there is nothing to do, and never beyond", () => {
    assert.strictEqual(bar(0, 0), bar(1, 1))
    assert.strictEqual(bar(7, 5), bar(1, 1))
    assert.strictEqual(bar(-1, 5), bar(0, 5))
  })
})
