import { assert, describe, it } from "@effect/vitest"
import * as en from "../../../infrastructure/event-text/en-words.ts"
import * as th from "../../../infrastructure/event-text/th-words.ts"

const scb = { gateway: "scb", gatewayMillis: 80 }
const askedBefore = [
  { gateway: "kbank", gatewayMillis: 4000, why: "too slow" },
  { gateway: "sandbox", gatewayMillis: 1, why: "it is down" }
]

describe("who answered, in words", () => {
  it("names the gateway, and in order those that were asked before in vain", () => {
    assert.strictEqual(en.answeredBy(scb), "scb answered in 80 ms")
    assert.strictEqual(
      en.answeredBy({ ...scb, askedBefore }),
      "kbank gave no answer in 4000 ms (too slow), sandbox gave no answer in 1 ms (it is down), scb answered in 80 ms"
    )
    assert.strictEqual(
      th.answeredBy({ ...scb, askedBefore }),
      "kbank ไม่ได้คำตอบใน 4000 มิลลิวินาที (too slow), sandbox ไม่ได้คำตอบใน 1 มิลลิวินาที (it is down), scb ตอบใน 80 มิลลิวินาที"
    )
  })

  it("says nothing where no bank was asked", () => {
    for (const { answeredBy, asked } of [en, th]) {
      assert.strictEqual(asked({ gateway: null, gatewayMillis: null, askedBefore: [] }), "")
      assert.strictEqual(asked({}), "")
      assert.strictEqual(asked(scb), `; ${answeredBy(scb)}`)
    }
  })

  it("writes amounts as they are written in both languages", () => {
    assert.deepStrictEqual([en.baht(150_050), th.baht(150_050)], ["1,500.50 baht", "1,500.50 บาท"])
    assert.deepStrictEqual([en.baht(null), th.baht(null)], ["an unknown amount", "ไม่ทราบจำนวน"])
  })
})
