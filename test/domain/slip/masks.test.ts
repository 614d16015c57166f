import { assert, describe, it } from "@effect/vitest"
import { maskName, maskNumber, maskTransfer } from "../../../domain/slip/masks.ts"
import { satang } from "../../../domain/money.ts"
import type { Transfer } from "../../../domain/slip/transfer.ts"

const bank = { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" }

const transfer: Transfer = {
  transRef: "013071152533APM07736",
  sendingBank: "004",
  transferredAt: "2026-11-21T15:45:00+07:00",
  countryCode: "TH",
  amount: satang(150_050),
  fee: satang(0),
  ref1: "INV-7",
  ref2: "0812345678",
  ref3: "",
  sender: {
    bank,
    account: { name: { th: "นาย สมชาย ใจดี", en: "MR. SOMCHAI J" }, bank: { type: "BANKAC", account: "1234567890" } }
  },
  receiver: {
    bank,
    account: { name: { en: "SHOP" }, proxy: { type: "MSISDN", account: "081-234-5678" } },
    merchantId: "010553600000099"
  }
}

describe("a mask", () => {
  it("keeps the first letter of each word of a name, with its vowel and tone marks", () => {
    assert.strictEqual(maskName("นาย สมชาย ใจดี"), "น*** ส*** ใ***")
    assert.strictEqual(maskName("  กำพล   ณ "), "ก*** ณ***")
    assert.strictEqual(maskName("กี่"), "กี่***")
    assert.strictEqual(maskName("MR.SOMCHAI\nJ"), "M*** J***")
    assert.strictEqual(maskName(" "), "")
  })

  it("keeps the last four digits of a number, and hidden characters", () => {
    assert.strictEqual(maskNumber("0812345678"), "xxxxxx5678")
    assert.strictEqual(maskNumber("xxx-x-x1234-x"), "xxx-x-x1234-x")
    assert.strictEqual(maskNumber("123-4-xxx567"), "xxx-4-xxx567")
    assert.strictEqual(maskNumber("x1"), "x1")
  })

  it("removes names, whole numbers and references from a transfer", () => {
    const masked = maskTransfer(transfer)
    const text = JSON.stringify(masked)
    for (
      const secret of ["สมชาย", "SOMCHAI", "SHOP", "1234567890", "081-234", "0812345678", "INV-7", "013071", "0105536"]
    ) {
      assert.notInclude(text, secret)
    }
    assert.deepInclude(masked, { amount: transfer.amount, transferredAt: transfer.transferredAt })
    assert.deepStrictEqual(masked.sender.bank, bank)
    assert.strictEqual(masked.receiver.account.proxy?.account, "xxx-xxx-5678")
    assert.strictEqual(masked.receiver.merchantId, "xxxxxxxxxxx0099")
  })
})
