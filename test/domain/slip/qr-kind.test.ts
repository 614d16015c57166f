import { assert, describe, it } from "@effect/vitest"
import { crc16, crcText, tlv } from "../../../domain/slip/tlv.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { readQr } from "../../../domain/slip/qr-kind.ts"

const slip = encodeSlipPayload("004", "016325120000BPP00000")
const trueMoney = "00490002010102010203P2P0314500000000000000408211120269104f7b9"
const promptPay = "00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF"

const withEmvChecksum = (body: string): string => `${body}6304${crcText(`${body}6304`)}`
const unread = { sendingBank: null, transRef: null }

describe("the QR of a slip", () => {
  it("has bank and reference", () => {
    assert.deepStrictEqual(readQr(slip), {
      kind: "slip",
      payload: slip,
      sendingBank: "004",
      transRef: "016325120000BPP00000",
      crc: "ok"
    })
  })

  it.each([
    "0041000600000101030040220016325120000BPP000005102TH910495A",
    "0041000600000101030040220016325120000BPP000005102TH910395a"
  ])("is repaired and returned in its canonical form: %s", (text) => {
    assert.deepInclude(readQr(text), { kind: "slip", payload: slip, crc: "repaired" })
  })

  it("with a wrong checksum is a slip without fields", () => {
    const forged = slip.replace("BPP00000", "BPP00001")
    assert.deepStrictEqual(readQr(forged), { kind: "slip", payload: forged, ...unread, crc: "wrong" })
  })
})

describe("a request for payment", () => {
  it("by PromptPay is not a slip", () => {
    assert.deepStrictEqual(readQr(promptPay), { kind: "promptpay", payload: promptPay, ...unread, crc: "ok" })
  })

  it("may have its checksum in lower case", () => {
    assert.deepInclude(readQr(promptPay.replace("1DCF", "1dcf")), { kind: "promptpay", crc: "ok" })
  })

  it("is recognized with a wrong checksum", () => {
    assert.deepInclude(readQr(promptPay.replace("1DCF", "1DCE")), { kind: "promptpay", crc: "wrong" })
  })

  it("for a bill is recognized, also when it is longer than any slip", () => {
    const bill = withEmvChecksum(
      tlv("00", "01") + tlv("30", tlv("00", "A000000677010112") + tlv("01", "010753600031508"))
        + tlv("53", "764") + tlv("58", "TH") + tlv("62", tlv("07", "x".repeat(90)))
    )
    assert.isAbove(bill.length, 128)
    assert.deepInclude(readQr(bill), { kind: "promptpay", payload: bill, crc: "ok" })
  })

  it("of another scheme is something else, with its checksum checked", () => {
    const card = withEmvChecksum(tlv("00", "01") + tlv("29", tlv("00", "A000000004")) + tlv("58", "TH"))
    assert.deepStrictEqual(readQr(card), { kind: "other", payload: card, ...unread, crc: "ok" })
  })
})

describe("the slip of TrueMoney", () => {
  it("has its transaction and no bank", () => {
    assert.deepStrictEqual(readQr(trueMoney), {
      kind: "truemoney",
      payload: trueMoney,
      sendingBank: null,
      transRef: "50000000000000",
      crc: "ok"
    })
  })

  it("is recognized with a wrong checksum", () => {
    assert.deepInclude(readQr(trueMoney.replace("f7b9", "f7b8")), { kind: "truemoney", crc: "wrong" })
  })

  it("has its checksum in lower case, and is wrong in upper case", () => {
    assert.strictEqual(readQr(trueMoney.replace("f7b9", "F7B9")).crc, "wrong")
  })

  it.each([
    ["another provider", tlv("00", "02") + tlv("01", "01")],
    ["another kind", tlv("00", "01") + tlv("01", "02")],
    ["its marks swapped", tlv("01", "01") + tlv("00", "01")]
  ])("is not recognized with %s", (_, marks) => {
    const body = `${tlv("00", marks + tlv("03", "50000000000000"))}9104`
    assert.strictEqual(readQr(body + crc16(body).toString(16).padStart(4, "0")).kind, "other")
  })
})

describe("anything else", () => {
  const texts = ["", "https://example.com/pay?id=9104", "0812345678", "สวัสดี", "00020101"]
  it.each(texts)("is something else: %j", (text) => {
    assert.deepStrictEqual(readQr(text), { kind: "other", payload: text, ...unread, crc: "wrong" })
  })
})
