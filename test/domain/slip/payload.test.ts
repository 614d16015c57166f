import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { banks, isSendingBank } from "../../../domain/bank.ts"
import { crc16, crcText, tlv } from "../../../domain/slip/tlv.ts"
import { encodeSlipPayload, parseSlipPayload, type PayloadFault } from "../../../domain/slip/payload.ts"
import vectors from "../../fixtures/slip-payload-vectors.json" with { type: "json" }
import { checked, SendingBank, TransRef } from "./slip-texts.ts"

interface Vector {
  readonly id: string
  readonly payload: string
  readonly valid: boolean
  readonly kind?: string
  readonly canonical?: string
  readonly sendingBank?: string
  readonly transRef?: string
  readonly promptparse?: { readonly sendingBank: string; readonly transRef: string }
}

const all: ReadonlyArray<Vector> = vectors
const slips = all.filter(({ kind, valid }) => valid && kind === undefined)
const others = all.filter(({ kind, valid }) => !valid || kind !== undefined)

const faultOf = (text: string): PayloadFault | undefined => Result.getOrUndefined(Result.flip(parseSlipPayload(text)))

describe("the checksum", () => {
  it("is CRC-16/CCITT-FALSE", () => {
    assert.strictEqual(crc16("123456789"), 0x29b1)
    assert.strictEqual(crc16(""), 0xffff)
  })

  it("is printed with four upper-case digits", () => {
    assert.strictEqual(crcText("123456789"), "29B1")
    assert.strictEqual(crcText("0041000600000101030040220016325120000BPP000005102TH9104"), "095A")
  })
})

describe("a real slip", () => {
  it.each(slips)("is read: $id", ({ canonical, id, payload, promptparse, sendingBank, transRef }) => {
    const slip = Result.getOrThrow(parseSlipPayload(payload))

    assert.strictEqual(slip.text, canonical ?? payload.toUpperCase().slice(-4).padStart(payload.length, payload))
    assert.strictEqual(slip.sendingBank, sendingBank ?? promptparse?.sendingBank ?? "004")
    assert.strictEqual(slip.transRef, transRef ?? promptparse?.transRef ?? "016325120000BPP00000")
    assert.strictEqual(slip.crc, id.startsWith("tol-crc-zero-stripped") ? "repaired" : "ok")
    assert.strictEqual(encodeSlipPayload(slip.sendingBank, slip.transRef), slip.text)
  })

  it.each(others)("is refused: $id", ({ payload }) => {
    assert.isTrue(Result.isFailure(parseSlipPayload(payload)))
  })

  it("is refused with its reason", () => {
    const faults = Object.fromEntries(others.map(({ id, payload }) => [id, faultOf(payload)]))
    assert.deepStrictEqual(faults, {
      "neg-bad-crc": "wrong-crc",
      "neg-tampered-ref": "wrong-crc",
      "neg-promptpay-payment-qr": "not-a-slip",
      "neg-rdcw-readme": "broken-tlv",
      "neg-empty": "not-a-slip",
      "neg-129-chars": "too-long",
      "truemoney-p2p": "not-a-slip"
    })
  })

  it("may have an unknown bank, which the bank list decides", () => {
    const { sendingBank } = Result.getOrThrow(parseSlipPayload(encodeSlipPayload("999", "mamauishigure")))
    assert.isFalse(isSendingBank(sendingBank))
  })
})

describe("a text with the right checksum", () => {
  const api = tlv("00", "000001")
  const bank = tlv("01", "014")
  const ref = tlv("02", "Ab12")
  const slip = tlv("00", api + bank + ref)
  const thailand = tlv("51", "TH")

  it("is a slip when its structure is that of a slip", () => {
    assert.strictEqual(checked(slip + thailand), encodeSlipPayload("014", "Ab12"))
    assert.isUndefined(faultOf(checked(slip + thailand)))
  })

  it.each<readonly [title: string, body: string, fault: PayloadFault]>([
    ["no fields", "", "not-a-slip"],
    ["no country", slip, "not-a-slip"],
    ["no slip", thailand, "not-a-slip"],
    ["the country first", thailand + slip, "not-a-slip"],
    ["the country twice", slip + thailand + thailand, "not-a-slip"],
    ["another country", slip + tlv("51", "LA"), "not-a-slip"],
    ["the country in small letters", slip + tlv("51", "th"), "not-a-slip"],
    ["the country under another tag", slip + tlv("58", "TH"), "not-a-slip"],
    ["the slip under another tag", tlv("01", api + bank + ref) + thailand, "not-a-slip"],
    ["a field between slip and country", slip + tlv("50", "x") + thailand, "not-a-slip"],
    ["a field at the end", slip + thailand + tlv("62", "x"), "not-a-slip"],
    ["an empty field at the end", slip + thailand + tlv("52", ""), "not-a-slip"],
    ["another API id", tlv("00", tlv("00", "000002") + bank + ref) + thailand, "not-a-slip"],
    ["a shorter API id", tlv("00", tlv("00", "00001") + bank + ref) + thailand, "not-a-slip"],
    ["no API id", tlv("00", bank + ref) + thailand, "not-a-slip"],
    ["no bank", tlv("00", api + ref) + thailand, "not-a-slip"],
    ["no reference", tlv("00", api + bank) + thailand, "not-a-slip"],
    ["bank and reference swapped", tlv("00", api + tlv("02", "Ab12") + tlv("01", "014")) + thailand, "not-a-slip"],
    ["another field in the slip", tlv("00", api + bank + ref + tlv("03", "x")) + thailand, "not-a-slip"],
    ["a bank of two digits", tlv("00", api + tlv("01", "14") + ref) + thailand, "not-a-slip"],
    ["a bank of four digits", tlv("00", api + tlv("01", "0014") + ref) + thailand, "not-a-slip"],
    ["a bank of letters", tlv("00", api + tlv("01", "SCB") + ref) + thailand, "not-a-slip"],
    ["a bank of Thai digits", tlv("00", api + tlv("01", "๐๑๔") + ref) + thailand, "not-a-slip"],
    ["an empty reference", tlv("00", api + bank + tlv("02", "")) + thailand, "not-a-slip"],
    ["a reference of 26", tlv("00", api + bank + tlv("02", "x".repeat(26))) + thailand, "not-a-slip"],
    ["a reference with a hyphen", tlv("00", api + bank + tlv("02", "Ab-12")) + thailand, "not-a-slip"],
    ["a reference with a space", tlv("00", api + bank + tlv("02", "Ab 12")) + thailand, "not-a-slip"],
    ["a reference in Thai", tlv("00", api + bank + tlv("02", "โอนเงิน")) + thailand, "not-a-slip"],
    ["a letter with the low byte of a digit", tlv("00", api + bank + tlv("02", "Ab1\u0132")) + thailand, "not-a-slip"],
    ["a reference that is cut off", tlv("00", `${api + bank}0205Ab12`) + thailand, "broken-tlv"],
    ["a reference longer than its length", tlv("00", `${api + bank}0203Ab12`) + thailand, "broken-tlv"],
    ["a slip that is cut off", `0099${api + bank + ref}${thailand}`, "broken-tlv"],
    ["a length of letters", `00ab${api + bank + ref}${thailand}`, "broken-tlv"],
    ["a length with a sign", `00+2xx${thailand}`, "broken-tlv"]
  ])("is not a slip with %s", (_, body, fault) => {
    assert.strictEqual(faultOf(checked(body)), fault)
  })

  it("is not a slip with other text around it", () => {
    const text = encodeSlipPayload("014", "Ab12")
    for (const withOther of [` ${text}`, `${text} `, `${text}\n`, `\ufeff${text}`, text + text, `${text}0000`]) {
      assert.isDefined(faultOf(withOther), JSON.stringify(withOther))
    }
  })
})

describe("a long text", () => {
  it("is read up to 128 characters", () => {
    assert.strictEqual(faultOf("0".repeat(128)), "not-a-slip")
    assert.strictEqual(faultOf("0".repeat(129)), "too-long")
    assert.strictEqual(faultOf(encodeSlipPayload("014", "x".repeat(95))), "too-long")
  })
})

describe("any slip", () => {
  it.prop("is decoded to the encoded fields", [SendingBank, TransRef], ([sendingBank, transRef]) => {
    const text = encodeSlipPayload(sendingBank, transRef)
    assert.deepStrictEqual(parseSlipPayload(text), Result.succeed({ text, sendingBank, transRef, crc: "ok" }))
  })

  it("has 44 to 64 characters for references of 5 to 25, for any bank", () => {
    for (const { code } of banks.filter((bank) => isSendingBank(bank.code))) {
      assert.strictEqual(encodeSlipPayload(code, "x".repeat(5)).length, 44)
      assert.strictEqual(encodeSlipPayload(code, "x".repeat(25)).length, 64)
    }
  })
})
