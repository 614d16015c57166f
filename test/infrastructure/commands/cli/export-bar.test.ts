import { assert, describe, it } from "@effect/vitest"
import { progressBar } from "../../../../infrastructure/commands/cli/output.ts"

describe("the progress bar", () => {
  it("shows the progress in a constant width", () => {
    assert.strictEqual(progressBar(0, 200), "[------------------------]   0 %")
    assert.strictEqual(progressBar(50, 200), "[######------------------]  25 %")
    assert.strictEqual(progressBar(199, 200), "[#######################-]  99 %")
    assert.strictEqual(progressBar(200, 200), "[########################] 100 %")
  })

  it("is full when there is nothing to do, and never exceeds its width", () => {
    assert.strictEqual(progressBar(0, 0), progressBar(1, 1))
    assert.strictEqual(progressBar(7, 5), progressBar(1, 1))
    assert.strictEqual(progressBar(-1, 5), progressBar(0, 5))
  })
})
