import { assert, beforeAll, describe, it } from "@effect/vitest"
import { banks, isSendingBank } from "../../../../../domain/bank.ts"
import { satang } from "../../../../../domain/money.ts"
import { slipSvg } from "../../../../../infrastructure/adapters/banks/sandbox/slip-layout.ts"
import {
  type DrawText,
  drawTextWith,
  loadTypeface
} from "../../../../../infrastructure/adapters/banks/sandbox/svg-text.ts"
import { receivers } from "../../../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { sandboxTransfer } from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-transfer.ts"
import { MAX_AMOUNT, type ReceiverIndex } from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"

const transfer = (sendingBank: string, receiver: ReceiverIndex, nonce = "ABC123") =>
  sandboxTransfer(
    { outcome: "found", receiver, amount: MAX_AMOUNT, seconds: 0, nonce },
    sendingBank,
    `SBXF${receiver}ZZZZZZZ0000000${nonce}`
  )

const sendingBanks = banks.map(({ code }) => code).filter(isSendingBank)

describe("the layout of a slip", () => {
  let setText: DrawText
  beforeAll(async () => {
    setText = drawTextWith(await loadTypeface())
  })

  const draw = (...of: Parameters<typeof transfer>): ReadonlyArray<string> => {
    const lines: Array<string> = []
    slipSvg(transfer(...of), [[true]], (text, ...rest) => {
      lines.push(text)
      return setText(text, ...rest)
    })
    return lines
  }

  it.each([...sendingBanks, "999"])("has a glyph for every character of a slip from %s", (bank) => {
    assert.include(draw(bank, 0), "โอนเงินสำเร็จ")
  })

  it.each(receivers)("shows only the masked number: $shape", ({ index, onSlip, register }) => {
    const lines = draw("014", index)
    const masked = (onSlip.account.bank ?? onSlip.account.proxy)?.account

    assert.include(lines, masked)
    if (onSlip.merchantId === null) assert.notInclude(lines.join("\n").replaceAll("-", ""), register.bankNumber)
  })

  it("shows SANDBOX twice and states in Thai that it is not a real transfer", () => {
    const lines = draw("004", 0)

    assert.strictEqual(lines.filter((line) => line === "SANDBOX").length, 2)
    assert.include(lines, "สลิปทดสอบ ไม่ใช่รายการโอนเงินจริง")
  })

  it("scales down a line that is too wide", () => {
    const style = { size: 40, fill: "#000", maxWidth: 300 }
    const wide = setText("ธนาคารพัฒนาวิสาหกิจขนาดกลางและขนาดย่อมแห่งประเทศไทย", 0, 0, style)
    const narrow = setText("ธนาคาร", 0, 0, style)

    assert.isBelow(scaleOf(wide), scaleOf(narrow))
    assert.closeTo(scaleOf(narrow), 0.04, 1e-9)
  })

  it("shows the amount with satang", () => {
    assert.include(draw("004", 0), "783,641,640.95 บาท")
    assert.strictEqual(transfer("004", 0).amount, satang(78_364_164_095))
  })
})

const scaleOf = (svg: string): number => Number(/scale\(([\d.]+) /u.exec(svg)?.[1])
