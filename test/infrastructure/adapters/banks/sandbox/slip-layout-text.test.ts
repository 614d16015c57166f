import { assert, describe, it } from "@effect/vitest"
import { satang } from "../../../../../domain/money.ts"
import { bahtText, partyText, thaiTime } from "../../../../../infrastructure/adapters/banks/sandbox/slip-layout.ts"
import { receiverAt } from "../../../../../infrastructure/adapters/banks/sandbox/receivers.ts"

describe("the text of a slip", () => {
  it.each([
    ["2026-11-21T15:45:00+07:00", "21 พ.ย. 2569 15:45 น."],
    ["2027-01-01T00:05:59+07:00", "1 ม.ค. 2570 00:05 น."]
  ])("has the time %s in Thai with the Buddhist year", (time, expected) => {
    assert.strictEqual(thaiTime(time), expected)
  })

  it.each([
    [1, "0.01 บาท"],
    [0, "0.00 บาท"],
    [99_999, "999.99 บาท"],
    [100_000, "1,000.00 บาท"],
    [123_456_789_00, "123,456,789.00 บาท"]
  ])("has %i satang in baht", (amount, expected) => {
    assert.strictEqual(bahtText(satang(amount)), expected)
  })

  it("names the bank of an account or the type of a proxy, and is empty for absent fields", () => {
    assert.deepStrictEqual(partyText(receiverAt(0).onSlip), {
      name: "นาย สมหมาย ท",
      place: "ธนาคารกสิกรไทย",
      number: "xxx-x-x1234-x"
    })
    assert.deepStrictEqual(partyText(receiverAt(3).onSlip), {
      name: "น.ส. สุขใจ ต",
      place: "พร้อมเพย์ · เบอร์โทรศัพท์",
      number: "xxx-xxx-2468"
    })
    assert.strictEqual(partyText(receiverAt(7).onSlip).name, "SANDBOX TRADING CO., LTD.")
    assert.strictEqual(partyText(receiverAt(9).onSlip).place, "")
  })
})
