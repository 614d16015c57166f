import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { satang } from "../../../../domain/money.ts"
import { makeSandboxSlip } from "../../../../infrastructure/banks/sandbox/sandbox-slip.ts"
import { drawSandboxSlip } from "../../../../infrastructure/banks/sandbox/slip-picture.ts"

vi.mock("sharp", () => {
  throw new Error("no prebuilt binary for this platform")
})

// Files that run in this process later have it again.
afterAll(() => {
  vi.doUnmock("sharp")
  vi.resetModules()
})

describe("where the image library can't be loaded", () => {
  it.effect("drawing fails and says what is missing", () =>
    Effect.gen(function* () {
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
      assert.match(error.message, /needs sharp/u)
      assert.isDefined(error.cause)
    }))
})
