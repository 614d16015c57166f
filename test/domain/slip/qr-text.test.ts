import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { encodeSlipPayload, parseSlipPayload } from "../../../domain/slip/payload.ts"
import { readQr } from "../../../domain/slip/qr-kind.ts"
import { trimQrText } from "../../../domain/slip/qr-text.ts"
import { encodeWalletPayload, parseWalletPayload } from "../../../domain/slip/wallet-payload.ts"

const around = ["\n", "\r\n", " ", "\t", "\ufeff", "\u00a0", "\u200b", "\u0002", "\u0000", " \r\n\r\n\ufeff "]

/** Slips of bank 014 whose checksum begins with this many zeros. */
const slipWithZeros = (zeros: number): string => {
  for (let number = 0;; number++) {
    const text = encodeSlipPayload("014", `A${number}`)
    const checksum = text.slice(-4)
    if (checksum.startsWith("0".repeat(zeros)) && checksum[zeros] !== "0") return text
  }
}

const walletWithZeros = (zeros: number): string => {
  for (let number = 0;; number++) {
    const text = encodeWalletPayload(`${50_000_000_000_000 + number}`, "P2P", "2026-11-21")
    const checksum = text.slice(-4)
    if (checksum.startsWith("0".repeat(zeros)) && checksum[zeros] !== "0") return text
  }
}

/** The ways in which an app prints a number without leading zeros. */
const stripped = (text: string, zeros: number): ReadonlyArray<string> => {
  const digits = text.slice(-4 + zeros)
  const body = text.slice(0, -6)
  return [`${body}04${digits}`, `${body}0${digits.length}${digits}`]
}

describe("what machines add around a QR text", () => {
  it.each(around)("is removed: %j", (space) => {
    const slip = encodeSlipPayload("004", "016325154500APP00001")
    for (const text of [slip + space, space + slip, space + slip + space]) assert.strictEqual(trimQrText(text), slip)
    assert.strictEqual(trimQrText(`${space}${slip.slice(0, 9)}${space}9${space}`), `${slip.slice(0, 9)}${space}9`)
  })

  it.prop("is all that is taken away", [Schema.String], ([text]) => {
    const trimmed = trimQrText(text)
    assert.isTrue(text.includes(trimmed))
    assert.strictEqual(trimQrText(trimmed), trimmed)
  })
})

describe("a checksum without its leading zeros", () => {
  it.each([1, 2, 3])("is repaired on the slip of a bank: %d lost", (zeros) => {
    const slip = slipWithZeros(zeros)
    for (const text of stripped(slip, zeros)) {
      assert.deepInclude(Result.getOrThrow(parseSlipPayload(text)), { text: slip, crc: "repaired" })
      assert.deepInclude(readQr(text), { kind: "slip", payload: slip, crc: "repaired" })
    }
  })

  it.each([1, 2, 3])("is repaired on a TrueMoney slip: %d lost", (zeros) => {
    const slip = walletWithZeros(zeros)
    for (const text of stripped(slip, zeros)) {
      assert.isDefined(parseWalletPayload(text))
      assert.deepInclude(readQr(text), { kind: "truemoney", payload: slip, crc: "repaired" })
    }
  })

  it.each([1, 2, 3])("is refused when it does not match: %d lost", (zeros) => {
    for (const text of [...stripped(slipWithZeros(zeros), zeros), ...stripped(walletWithZeros(zeros), zeros)]) {
      const last = Number.parseInt(text.slice(-1), 16)
      const wrong = text.slice(0, -1) + ((last + 1) % 16).toString(16)
      assert.isTrue(Result.isFailure(parseSlipPayload(wrong)))
      assert.isUndefined(parseWalletPayload(wrong))
    }
  })

  it("keeps a zero that is the whole number", () => {
    const slip = slipWithZeros(3)
    assert.isTrue(Result.isFailure(parseSlipPayload(slip.slice(0, -4))), "all digits are lost")
  })
})
