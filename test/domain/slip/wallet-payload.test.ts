import { assert, describe, it } from "@effect/vitest"
import { parse } from "promptparse"
import { trueMoneySlipVerify as generate } from "promptparse/generate"
import { trueMoneySlipVerify as oracle } from "promptparse/validate"
import { tlv } from "../../../domain/slip/tlv.ts"
import {
  encodeWalletPayload,
  parseWalletPayload,
  transactionIdOf,
  walletChecksum,
  walletTransRef
} from "../../../domain/slip/wallet-payload.ts"

const payload = "00490002010102010203P2P0314500000000000000408211120269104f7b9"

const withChecksum = (body: string): string => body + walletChecksum(body)

describe("the QR text of a TrueMoney slip", () => {
  it("has a transaction id, an event and a day", () => {
    assert.deepStrictEqual(parseWalletPayload(payload), {
      transactionId: "50000000000000",
      event: "P2P",
      day: "2026-11-21"
    })
  })

  it("is written as other libraries write and read it", () => {
    const written = encodeWalletPayload("50000000000001", "P2P", "2026-11-22")
    assert.strictEqual(
      written,
      generate({ eventType: "P2P", transactionId: "50000000000001", date: "22112026" })
    )
    assert.deepInclude({ ...oracle(written) }, { transactionId: "50000000000001" })
    assert.isNotNull(parse(written))
    assert.deepInclude(parseWalletPayload(written), { transactionId: "50000000000001", day: "2026-11-22" })
  })

  it("is read without a day, and with further fields", () => {
    const fields = tlv("00", "01") + tlv("01", "01") + tlv("02", "X") + tlv("03", "A1")
    const more = fields + tlv("09", "new")
    assert.deepStrictEqual(
      parseWalletPayload(withChecksum(`${tlv("00", more)}9104`)),
      { transactionId: "A1", event: "X", day: undefined }
    )
  })

  it.each([
    ["a wrong checksum", payload.replace("f7b9", "f7b8")],
    ["an upper-case checksum", payload.replace("f7b9", "F7B9")],
    ["no transaction id", withChecksum(`${tlv("00", tlv("00", "01") + tlv("01", "01"))}9104`)],
    ["an id with other characters", encodeWalletPayload("5000-0001", "P2P", "2026-11-22")],
    ["an id that is too long", encodeWalletPayload("5".repeat(33), "P2P", "2026-11-22")],
    ["the tags of a bank slip", "0046000600000101030040225SBXF000037S20TOVMTPDR6N6V5102TH91040040"],
    ["text after the checksum", `${payload}0`],
    ["nothing", ""]
  ])("is refused with %s", (_, text) => {
    assert.isUndefined(parseWalletPayload(text))
  })

  it("gives a reference that no bank's reference with the same digits equals", () => {
    assert.strictEqual(walletTransRef("50000000000001"), "TW50000000000001")
    assert.strictEqual(transactionIdOf(walletTransRef("50000000000001")), "50000000000001")
  })
})
