import { assert, describe, it } from "@effect/vitest"
import { banks, findBank, isSendingBank } from "../../domain/bank.ts"

const NUMBERED = "002 004 006 008 011 014 017 018 020 022 024 025 026 027 029 030 031 032 033 034 035 039 045 052 "
  + "065 066 067 069 070 071 073 088 098"

const numbered = banks.filter(({ code }) => /^\d{3}$/u.test(code))

describe("the bank list", () => {
  it("has 33 banks, PromptPay and K SHOP, by code", () => {
    assert.strictEqual(banks.length, 35)
    assert.strictEqual(numbered.length, 33)
    const codes = numbered.map(({ code }) => code)
    assert.strictEqual(codes.join(" "), NUMBERED)
    assert.deepStrictEqual(banks.slice(33).map(({ code }) => code), ["PROMPTPAY", "KSHOP"])
  })

  it("has a unique Thai and English name for every bank", () => {
    for (const name of ["code", "shortCode", "nameTh", "nameEn"] as const) {
      assert.strictEqual(new Set(banks.map((bank) => bank[name])).size, banks.length, name)
    }
    for (const { nameEn, nameTh, shortCode } of banks) {
      assert.match(nameTh, /^[\u0E00-\u0E7F() ]+$/u)
      assert.match(nameEn, /^[A-Za-z()\- ]+$/u)
      assert.match(shortCode, /^[A-Z]+$/u)
    }
  })

  it("has extraVerify values only for Bangkok Bank and PromptPay", () => {
    const options = banks.flatMap(({ code, extraVerify }) =>
      extraVerify === null ? [] : [[code, extraVerify.map(({ value }) => value)]]
    )
    assert.deepStrictEqual(options, [
      ["002", ["NAME", "NUMBER", "NAME_NUMBER"]],
      ["PROMPTPAY", ["MSISDN", "NATID", "EWALLETID"]]
    ])
    assert.isTrue(banks.every(({ extraVerify }) => extraVerify?.every(({ label }) => label !== "") ?? true))
  })
})

describe("finding a bank", () => {
  it("returns the entry of a code", () => {
    for (const bank of banks) assert.deepStrictEqual(findBank(bank.code), bank)
    assert.strictEqual(findBank("014")?.shortCode, "SCB")
    assert.strictEqual(findBank("011")?.shortCode, "TTB")
  })

  it.each(["", "14", "0014", " 014", "014 ", "999", "promptpay", "KBANK", "__proto__", "constructor", "٠١٤"])(
    "finds no bank for %j",
    (code) => {
      assert.isUndefined(findBank(code))
      assert.isFalse(isSendingBank(code))
    }
  )
})

describe("a sending bank", () => {
  it("is every numbered bank, and no entry that only receives", () => {
    assert.deepStrictEqual(banks.filter(({ code }) => isSendingBank(code)), numbered)
  })
})
