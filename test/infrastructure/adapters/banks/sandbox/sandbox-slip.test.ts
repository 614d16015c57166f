import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { satang } from "../../../../../domain/money.ts"
import { parseSlipPayload } from "../../../../../domain/slip/payload.ts"
import {
  makeSandboxSlip,
  nonceOf,
  type SandboxSlipOptions
} from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"

const options: SandboxSlipOptions = {
  amount: satang(150_050),
  bank: "014",
  receiver: 3,
  outcome: "retry",
  at: Date.parse("2026-11-21T15:45:00.999+07:00"),
  nonce: "000001"
}

describe("a sandbox slip", () => {
  it("has a payload that parses as a slip", () => {
    const slip = makeSandboxSlip(options)

    assert.strictEqual(slip.transRef, "SBXR300037S20TOUGB0000001")
    const { sendingBank, text, transRef } = Result.getOrThrow(parseSlipPayload(slip.payload))
    assert.deepStrictEqual({ payload: text, sendingBank, transRef }, slip)
  })

  it("may have an unknown bank code, for tests", () => {
    assert.strictEqual(makeSandboxSlip({ ...options, bank: "999" }).sendingBank, "999")
  })

  it.each([
    ["bank", { bank: "PROMPTPAY" }],
    ["receiver", { receiver: 12 }],
    ["amount", { amount: -5 }],
    ["time", { at: Number.NaN }],
    ["nonce", { nonce: "?" }]
  ])("rejects a field out of range and names it: %s", (name, change) => {
    const wrong = { ...options, ...change } as SandboxSlipOptions

    assert.throws(() => makeSandboxSlip(wrong), new RegExp(`^${name} .* not `, "u"))
  })

  it("gets a nonce from any integer", () => {
    assert.deepStrictEqual([0, 35, 36, 36 ** 6 - 1, 36 ** 6].map(nonceOf), [
      "000000",
      "00000Z",
      "000010",
      "ZZZZZZ",
      "000000"
    ])
  })
})
