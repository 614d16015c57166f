import { assert, describe, it } from "@effect/vitest"
import { readSearchText } from "../../../application/search/search-text.ts"
import { newSlip } from "../../support/client.ts"

const amountOf = (text: string): number | undefined => readSearchText(text).amount

describe("the text of a search", () => {
  it("is an amount in every usual form", () => {
    for (
      const text of ["1250", "1,250", "1250.00", "1,250.0", "฿1,250", "1250 บาท", "1,250.00 baht", "THB 1250", "๑,๒๕๐"]
    ) {
      assert.strictEqual(amountOf(text), 125_000, text)
    }
    assert.strictEqual(amountOf("1,250.50"), 125_050)
    for (const text of ["1,25", "12,50.00", "1250.505", "-1", "1 250", "1250 USD", ""]) {
      assert.isUndefined(amountOf(text), text)
    }
  })

  it("names a slip by a code or a short name of its bank, and by its QR text", () => {
    const slip = { sendingBank: "004", transRef: "013071152533APM07736" }
    for (const bank of ["004", "KBANK", "kbank"]) {
      assert.deepStrictEqual(readSearchText(` ${bank}:${slip.transRef} `).slip, slip, bank)
    }
    assert.strictEqual(readSearchText("truemoney:50012345678901").slip?.sendingBank, "TRUEMONEY")
    const { payload, sendingBank, transRef } = newSlip()
    assert.deepStrictEqual(readSearchText(payload).slip, { sendingBank, transRef })
    assert.isUndefined(readSearchText("KBANK:").slip)
  })

  it("is a reference, or the end of one, from six characters on", () => {
    for (const text of ["M07736", "013071152533APM07736"]) assert.strictEqual(readSearchText(text).reference, text)
    for (const text of ["07736", "M07-736", "กขคงจฉ"]) assert.isUndefined(readSearchText(text).reference, text)
  })

  it("is a host with or without a scheme, and with its port", () => {
    assert.strictEqual(readSearchText("Shop.Example").host, "shop.example")
    assert.strictEqual(readSearchText("https://shop.example:8443/hook?a=b").host, "shop.example:8443")
    for (const host of ["localhost:9000", "10.0.0.5"]) assert.strictEqual(readSearchText(host).host, host)
    for (const text of ["shop", "a b.example", "https://", "/console", "shop.example/hook", "100.50"]) {
      assert.isUndefined(readSearchText(text).host, text)
    }
  })

  it("is an id in any case, and never the id of a request with white space", () => {
    assert.strictEqual(
      readSearchText("1575CF33-035A-46B1-94BB-5A31C404F8ED").id,
      "1575cf33-035a-46b1-94bb-5a31c404f8ed"
    )
    assert.strictEqual(readSearchText(" order:42 ").requestId, "order:42")
    assert.isUndefined(readSearchText("order 42").requestId)
  })
})
