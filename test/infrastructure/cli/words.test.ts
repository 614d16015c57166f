import { assert, describe, it } from "@effect/vitest"
import { answeredBy, asked } from "../../../infrastructure/cli/words.ts"

const scb = { gateway: "scb", gatewayMillis: 80 }

describe("who answered, in words", () => {
  it("names the gateway, and in order those that were asked before in vain", () => {
    assert.strictEqual(answeredBy(scb), "scb answered in 80 ms")
    assert.strictEqual(
      answeredBy({
        ...scb,
        askedBefore: [
          { gateway: "kbank", gatewayMillis: 4000, why: "too slow" },
          { gateway: "sandbox", gatewayMillis: 1, why: "it is down" }
        ]
      }),
      "kbank gave no answer in 4000 ms (too slow), sandbox gave no answer in 1 ms (it is down), scb answered in 80 ms"
    )
  })

  it("says nothing where no bank was asked", () => {
    assert.strictEqual(asked({ gateway: null, gatewayMillis: null, askedBefore: [] }), "")
    assert.strictEqual(asked({}), "")
    assert.strictEqual(asked(scb), "; scb answered in 80 ms")
  })
})
