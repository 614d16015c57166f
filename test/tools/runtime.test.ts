import { assert, describe, it } from "@effect/vitest"

describe("the runtime of the tests", () => {
  it("is Node 24 or newer, or Deno, in the workers too", () => {
    const { deno, node } = process.versions
    assert.isTrue(deno !== undefined || Number.parseInt(node, 10) >= 24, `this is Node ${node}`)
  })
})
