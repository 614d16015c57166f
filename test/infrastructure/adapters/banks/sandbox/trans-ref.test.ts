import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { satang } from "../../../../../domain/money.ts"
import {
  encodeTransRef,
  type InvalidField,
  MAX_AMOUNT,
  MAX_SECONDS,
  outcomes,
  parseTransRef,
  type SandboxRef
} from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"

const lunch: SandboxRef = {
  outcome: "found",
  receiver: 4,
  amount: satang(150_050),
  seconds: Date.parse("2026-11-21T15:45:00+07:00") / 1000,
  nonce: "00000A"
}

const parts = Schema.Struct({
  outcome: Schema.Literals(outcomes),
  receiver: Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
  amount: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_AMOUNT })),
  seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_SECONDS })),
  nonce: Schema.String.check(Schema.isPattern(/^[0-9A-Z]{6}$/u))
})

describe("the transRef of a sandbox slip", () => {
  it("consists of SBX, outcome, receiver, amount and time in base 36, and nonce", () => {
    const written = Result.getOrThrow(encodeTransRef(lunch))

    assert.strictEqual(written, "SBXF400037S20TOUGB000000A")
  })

  it("has a different letter for every outcome", () => {
    const letters = outcomes.map((outcome) => Result.getOrThrow(encodeTransRef({ ...lunch, outcome })).charAt(3))

    assert.strictEqual(letters.join(""), "FNPDRSX")
  })

  it.prop("decodes to the fields that were encoded", { parts }, ({ parts }) => {
    const ref: SandboxRef = { ...parts, amount: satang(parts.amount) }
    const written = Result.getOrThrow(encodeTransRef(ref))

    assert.match(written, /^[0-9A-Z]{25}$/u)
    assert.deepStrictEqual(parseTransRef(written), ref)
  })

  it.each<readonly [InvalidField, object]>([
    ["receiver", { receiver: 10 }],
    ["receiver", { receiver: 0.5 }],
    ["amount", { amount: 0 }],
    ["amount", { amount: MAX_AMOUNT + 1 }],
    ["amount", { amount: 10.5 }],
    ["time", { seconds: -1 }],
    ["time", { seconds: MAX_SECONDS + 1 }],
    ["time", { seconds: Number.NaN }],
    ["nonce", { nonce: "abc123" }],
    ["nonce", { nonce: "ABC12" }]
  ])("is not written when a part is out of range: %s of %o", (fault, change) => {
    const ref = { ...lunch, ...change } as SandboxRef

    assert.deepStrictEqual(encodeTransRef(ref), Result.fail(fault))
  })

  it.each([
    ["an empty text", ""],
    ["a letter too few", "SBXF400037S20TOUGB000000"],
    ["a letter too many", "SBXF400037S20TOUGB000000AA"],
    ["lower case", "sbxf400037s20tougb000000a"],
    ["a letter in lower case", "SBXF400037s20TOUGB000000A"],
    ["an unknown outcome", "SBXA400037S20TOUGB000000A"],
    ["a receiver that is not a digit", "SBXFA00037S20TOUGB000000A"],
    ["an amount of zero", "SBXF400000000TOUGB000000A"],
    ["another character than letters and digits", "SBXF400037S20TOUGB00000-A"],
    ["a line break at its end", "SBXF400037S20TOUGB000000A\n"],
    ["a reference of Kasikornbank", "016325154500APP00001"]
  ])("is refused with %s", (_, text) => {
    assert.isUndefined(parseTransRef(text))
  })
})
