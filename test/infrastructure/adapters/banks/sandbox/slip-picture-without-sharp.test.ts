import { afterAll, assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { satang } from "../../../../../domain/money.ts"
import { makeSandboxSlip } from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { drawSandboxSlip } from "../../../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { it } from "../../../../support/it.ts"

vi.mock("sharp", () => {
  throw new Error("no prebuilt binary for this platform")
})

// Restores sharp for later test files in the same process.
afterAll(() => {
  vi.doUnmock("sharp")
  vi.resetModules()
})

describe("without the image library", () => {
  it.effect("drawing fails and names the missing library", function* () {
    const slip = makeSandboxSlip({
      amount: satang(100),
      bank: "004",
      receiver: 0,
      outcome: "found",
      at: 0,
      nonce: "000000"
    })

    const error = yield* Effect.flip(drawSandboxSlip(slip))

    assert.strictEqual(error.reason, "unavailable")
    assert.match(error.message, /library of sharp/u)
    assert.isDefined(error.cause)
  })
})
