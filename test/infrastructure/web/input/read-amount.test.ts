import { assert, describe, it } from "@effect/vitest"
import { asNumber, withAmounts } from "../../../../infrastructure/web/input/read-amount.ts"
import { readNumber } from "../../../../infrastructure/web/api/read-number.ts"

describe("a number as text", () => {
  it("has ASCII digits, one decimal point at most, and white space around it", () => {
    const numbers = {
      "1500.50": 1500.5,
      " 1 ": 1,
      "\t0.10\r\n": 0.1,
      "007": 7,
      "-1": -1,
      "1.000": 1,
      "\ufeff2\u00a0": 2
    }
    for (const [text, number] of Object.entries(numbers)) assert.strictEqual(readNumber(text), number, text)
    const others = [
      "",
      " ",
      "1,5",
      "1 5",
      "1e3",
      "NaN",
      "Infinity",
      "٣",
      "１",
      "1.",
      ".5",
      "+1",
      "--1",
      "0x1",
      "1_0",
      "1.2.3"
    ]
    for (const text of [...others, "9".repeat(400)]) assert.isUndefined(readNumber(text), text)
  })

  it("takes the place of the text, and every other value stays", () => {
    assert.strictEqual(asNumber("1.5"), 1.5)
    for (const value of ["1,5", 1.5, true, null, [1], undefined]) assert.strictEqual(asNumber(value), value)
  })

  it("takes the place of each amount of conditions", () => {
    const conditions = { amount: { atLeast: "1.50", atMost: 2, other: "x" }, sendingBanks: ["004"] }
    assert.deepStrictEqual(withAmounts(conditions), { ...conditions, amount: { atLeast: 1.5, atMost: 2, other: "x" } })
    for (const value of [{}, { amount: "1" }, { amount: ["1"] }, [], "1", null]) {
      assert.deepStrictEqual<unknown>(withAmounts(value), value)
    }
  })
})
