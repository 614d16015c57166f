import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { satang } from "../../../../../domain/money.ts"
import type { Transfer } from "../../../../../domain/slip/transfer.ts"
import { readSlipData } from "../../../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"
import { kbankSlipData, scbSlipData } from "../../../../support/banks/slip-data.ts"

const question = questionOf("004", "016325154500APP00001")

const read = (changes: object = {}) => readSlipData(kbankSlipData(question, changes), question)

const transferOf = (changes: object = {}): Transfer => {
  const result = read(changes)
  assert(Result.isSuccess(result), `refused: ${Result.isFailure(result) ? result.failure : ""}`)
  return result.success
}

const refused = (changes: object): string => {
  const result = read(changes)
  assert(Result.isFailure(result), "was accepted")
  return result.failure
}

describe("slip data of a bank", () => {
  it("becomes a transfer", () => {
    assert.deepStrictEqual(transferOf(), {
      transRef: "016325154500APP00001",
      sendingBank: "004",
      transferredAt: "2026-11-21T15:45:00+07:00",
      countryCode: "TH",
      amount: satang(150_050),
      local: { amount: 150_050, currency: "764" },
      fee: satang(0),
      ref1: "",
      ref2: "",
      ref3: "",
      sender: {
        bank: { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" },
        account: {
          name: { th: "นาย สมชาย ท", en: "MR. SOMCHAI T" },
          bank: { type: "BANKAC", account: "xxx-x-x0209-x" }
        }
      },
      receiver: {
        bank: { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" },
        account: {
          name: { th: "นาย สมหมาย ท", en: "MR. SOMMAI T" },
          bank: { type: "BANKAC", account: "xxx-x-x1234-x" }
        },
        merchantId: null
      }
    })
  })

  it("is read the same from SCB", () => {
    const result = readSlipData(scbSlipData(question, { receivingBank: "004" }), question)
    assert.deepStrictEqual(result, read())
  })

  it.each([
    [1500.5, 150_050],
    [1500, 150_000],
    [0.01, 1],
    ["1500.50", 150_050],
    ["1500.5", 150_050],
    ["1,500.50", 150_050],
    ["1,234,567", 123_456_700],
    [" 100.00 ", 10_000],
    [9_999_999_999_999.99, 999_999_999_999_999]
  ])("has the amount %s in satang: %d", (amount, inSatang) => {
    assert.strictEqual(transferOf({ amount }).amount, inSatang)
  })

  it.each([
    [0],
    [-1],
    [1500.505],
    ["1500.505"],
    ["0.00"],
    ["-5"],
    ["1,50.00"],
    ["15,00"],
    ["1500 THB"],
    ["1e3"],
    ["NaN"],
    [""],
    [null],
    [undefined],
    [true],
    [{}],
    [1e15]
  ])("is refused with an amount such as %s", (amount) => {
    assert.include(refused({ amount }), "without a valid amount")
  })

  it.each([
    ["another transRef", { transRef: "016325154500APP00002" }],
    ["a transRef in other case", { transRef: question.transRef.toLowerCase() }],
    ["no transRef", { transRef: null }],
    ["another sending bank", { sendingBank: "014" }],
    ["no sending bank", { sendingBank: undefined }]
  ])("is refused with %s", (_, changes) => {
    assert.include(refused(changes), "another slip")
  })

  it.each([
    ["20261121", "154500", "2026-11-21T15:45:00+07:00"],
    ["20260229", "15:45:00", undefined],
    ["20280229", "00:00:00", "2028-02-29T00:00:00+07:00"],
    ["20261121", "24:00:00", undefined],
    ["20261121", "15:4500", undefined],
    ["20261121", "15:45", undefined],
    ["2026-11-21", "15:45:00", undefined],
    ["", "15:45:00", undefined],
    ["20261121", "", undefined]
  ])("has the time %s %s, or is refused", (transDate, transTime, expected) => {
    if (expected === undefined) assert.include(refused({ transDate, transTime }), "without a valid time")
    else assert.strictEqual(transferOf({ transDate, transTime }).transferredAt, expected)
  })

  it.each([
    ["นาย ก", "MR. K", { th: "นาย ก", en: "MR. K" }],
    ["MR. K", "นาย ก", { th: "นาย ก", en: "MR. K" }],
    ["นาย ก", "", { th: "นาย ก" }],
    ["", "MR. K", { en: "MR. K" }],
    ["K TRADING", "K TRADING CO., LTD.", { en: "K TRADING CO., LTD." }],
    ["ร้าน ก", "ร้าน กขค", { th: "ร้าน ก" }],
    ["K TRADING", null, { en: "K TRADING" }],
    ["นาย JOHN ก", undefined, { th: "นาย JOHN ก" }],
    [null, "  ", {}]
  ])("has the names %s and %s in their script", (displayName, name, expected) => {
    const { receiver } = transferOf({ receiver: { displayName, name } })
    assert.deepStrictEqual(receiver.account, { name: expected })
  })

  it("may have null, empty or absent optional fields", () => {
    for (const nothing of [undefined, null, "", [], {}, "nonsense"]) {
      const transfer = transferOf({
        receivingBank: nothing === "nonsense" ? "" : nothing,
        sender: nothing,
        receiver: nothing,
        paidLocalAmount: nothing,
        paidLocalCurrency: nothing,
        countryCode: nothing === "nonsense" ? "" : nothing,
        transFeeAmount: nothing,
        ref1: nothing === "nonsense" ? null : nothing,
        toMerchantId: nothing === "nonsense" ? null : nothing
      })
      assert.strictEqual(transfer.countryCode, "TH")
      assert.strictEqual(transfer.fee, 0)
      assert.strictEqual(transfer.ref1, "")
      assert.isFalse("local" in transfer)
      const emptyParty = { bank: { id: "", name: "", short: "" }, account: { name: {} } }
      assert.deepStrictEqual(transfer.receiver, { ...emptyParty, merchantId: null })
      assert.strictEqual(transfer.sender.bank.id, "004")
    }
  })

  it("includes proxy, merchant, fee, references and the local amount", () => {
    const transfer = transferOf({
      receiver: {
        displayName: "ร้าน ก",
        proxy: { type: "BILLERID", value: "xxx-9753" },
        account: { type: "DUMMY", value: "" }
      },
      receivingBank: "888",
      toMerchantId: "KB000001234567",
      transFeeAmount: "10.00",
      paidLocalAmount: "300.25",
      paidLocalCurrency: "392",
      countryCode: "JP",
      ref1: "INV001",
      ref2: 42
    })
    assert.deepStrictEqual(transfer.receiver, {
      bank: { id: "888", name: "", short: "" },
      account: { name: { th: "ร้าน ก" }, proxy: { type: "BILLERID", account: "xxx-9753" } },
      merchantId: "KB000001234567"
    })
    assert.strictEqual(transfer.fee, 1_000)
    assert.deepStrictEqual(transfer.local, { amount: 30_025, currency: "392" })
    assert.deepStrictEqual([transfer.countryCode, transfer.ref1, transfer.ref2], ["JP", "INV001", "42"])
  })

  it("has no fee when the fee is invalid", () => {
    for (const transFeeAmount of [-5, "free", null]) assert.strictEqual(transferOf({ transFeeAmount }).fee, 0)
  })
})
