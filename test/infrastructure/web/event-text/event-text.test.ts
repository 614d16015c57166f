import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import * as en from "../../../../infrastructure/web/languages/en/event-phrases.ts"
import { enEventTexts } from "../../../../infrastructure/web/languages/en/events.ts"
import { eventText } from "../../../../infrastructure/web/event-text/event-text.ts"
import * as th from "../../../../infrastructure/web/languages/th/events.ts"
import { everyEvent, everyType, storedFields } from "../../../support/every-event.ts"

const { thEventTexts } = th

describe("event texts", () => {
  it("cover every event type in both languages", () => {
    // Tree heads belong to the log, not to an aggregate.
    assert.sameMembers(Object.keys(enEventTexts), [...everyType, "CheckpointSigned"])
    assert.sameMembers(Object.keys(thEventTexts), Object.keys(enEventTexts))
  })

  for (const [name, schema] of Object.entries(everyEvent)) {
    const any = Arbitrary.schema(schema)
    it.prop(`describe any ${name} in Thai`, [any], ([{ _tag, ...data }]) => {
      const text = eventText(thEventTexts, { type: _tag, data: storedFields(data) })
      assert.match(text, /^[\u0E00-\u0E7F]/u)
      assert.notMatch(text, /undefined|\[object/u)
    })
  }

  it("say the same in Thai and in English", () => {
    const verified = {
      sendingBank: "004",
      amount: 150_050,
      transferredAt: "2026-11-21T15:45:00+07:00",
      gateway: "scb",
      gatewayMillis: 80,
      charged: true,
      expectedAmount: 100,
      isAmountMatched: false,
      matching: { k: "m-1", n: "n", c: "c" }
    }
    assert.strictEqual(
      eventText(enEventTexts, { type: "SlipVerified", data: verified }),
      "Slip of bank 004 over 1,500.50 baht, transferred 2026-11-21T15:45:00+07:00, verified for the first time: scb answered "
        + "in 80 ms; charged 1 unit; 1.00 baht expected: does not match; the receiver was compared with the branch's accounts"
    )
    assert.strictEqual(
      eventText(thEventTexts, { type: "SlipVerified", data: verified }),
      "ตรวจสลิปของธนาคาร 004 ยอด 1,500.50 บาท โอนเมื่อ 2026-11-21T15:45:00+07:00 เป็นครั้งแรก: scb ตอบใน 80 มิลลิวินาที; "
        + "คิด 1 โควตา; ยอดที่คาดไว้ 1.00 บาท: ไม่ตรงกัน; เทียบผู้รับเงินกับบัญชีของสาขาแล้ว"
    )
  })

  it("say the code that the caller received for a slip of another kind", () => {
    const data = { code: "SLIP_NOT_FOUND", why: "the slip is from a bank", wrongKind: "bank", gateway: null }
    assert.strictEqual(
      eventText(enEventTexts, { type: "VerificationFailed", data }),
      "Verification ended with WRONG_SLIP_KIND: the slip is from a bank"
    )
    assert.strictEqual(
      eventText(thEventTexts, { type: "VerificationFailed", data }),
      "การตรวจจบด้วย WRONG_SLIP_KIND: the slip is from a bank"
    )
  })

  it("give the type's name for an event type of a later version", () => {
    for (const type of ["SlipShredded", "toString", "__proto__"]) {
      for (const texts of [enEventTexts, thEventTexts]) assert.strictEqual(eventText(texts, { type, data: {} }), type)
    }
  })
})

const scb = { gateway: "scb", gatewayMillis: 80 }
const askedBefore = [
  { gateway: "kbank", gatewayMillis: 4000, why: "too slow" },
  { gateway: "sandbox", gatewayMillis: 1, why: "it is down" }
]

describe("the text of gateways", () => {
  it("names the gateway that answered, after those that did not", () => {
    assert.strictEqual(en.gatewayText(scb), "scb answered in 80 ms")
    assert.strictEqual(
      en.gatewayText({ ...scb, askedBefore }),
      "kbank gave no answer in 4000 ms (too slow), sandbox gave no answer in 1 ms (it is down), scb answered in 80 ms"
    )
    assert.strictEqual(
      th.gatewayText({ ...scb, askedBefore }),
      "kbank ไม่ตอบภายใน 4000 มิลลิวินาที (too slow), sandbox ไม่ตอบภายใน 1 มิลลิวินาที (it is down), scb ตอบใน 80 มิลลิวินาที"
    )
  })

  it("is empty when no bank was asked", () => {
    for (const { gatewaySuffix, gatewayText } of [en, th]) {
      assert.strictEqual(gatewaySuffix({ gateway: null, gatewayMillis: null, askedBefore: [] }), "")
      assert.strictEqual(gatewaySuffix({}), "")
      assert.strictEqual(gatewaySuffix(scb), `; ${gatewayText(scb)}`)
    }
  })

  it("writes amounts in baht", () => {
    assert.deepStrictEqual([en.baht(150_050), th.baht(150_050)], ["1,500.50 baht", "1,500.50 บาท"])
    assert.deepStrictEqual([en.baht(null), th.baht(null)], ["an unknown amount", "ไม่ทราบจำนวน"])
  })
})
