import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { enStory } from "../../../infrastructure/event-text/en.ts"
import { sentenceIn } from "../../../infrastructure/event-text/event-text.ts"
import { thStory } from "../../../infrastructure/event-text/th.ts"
import { everyEvent, everyType } from "../../support/every-event.ts"

describe("the dictionary of the story", () => {
  it("has a sentence for every type of event, in both languages", () => {
    // Checkpoints are of the log itself, of no aggregate.
    assert.sameMembers(Object.keys(enStory), [...everyType, "CheckpointSigned"])
    assert.sameMembers(Object.keys(thStory), Object.keys(enStory))
  })

  for (const [name, schema] of Object.entries(everyEvent)) {
    const any = Arbitrary.schema(schema)
    it.prop(`tells ${name} in Thai, whatever stands in it`, [any], ([{ _tag, ...data }]) => {
      const told = sentenceIn(thStory, { type: _tag, data })
      assert.match(told, /^[\u0E00-\u0E7F]/u)
      assert.notMatch(told, /undefined|\[object/u)
    })
  }

  it("tells in Thai what it tells in English", () => {
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
      sentenceIn(enStory, { type: "SlipVerified", data: verified }),
      "Slip of bank 004 over 1,500.50 baht, transferred 2026-11-21T15:45:00+07:00, verified for the first time: scb answered "
        + "in 80 ms; charged 1; 1.00 baht expected: does not match; the receiver was compared with the branch's accounts"
    )
    assert.strictEqual(
      sentenceIn(thStory, { type: "SlipVerified", data: verified }),
      "ตรวจสลิปของธนาคาร 004 ยอด 1,500.50 บาท โอนเมื่อ 2026-11-21T15:45:00+07:00 เป็นครั้งแรก: scb ตอบใน 80 มิลลิวินาที; "
        + "คิด 1 โควตา; ยอดที่คาดไว้ 1.00 บาท: ไม่ตรงกัน; เทียบผู้รับกับบัญชีของสาขาแล้ว"
    )
  })

  it("tells events of later versions by their name", () => {
    for (const type of ["SlipShredded", "toString", "__proto__"]) {
      for (const story of [enStory, thStory]) assert.strictEqual(sentenceIn(story, { type, data: {} }), type)
    }
  })
})
