import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { encodeSlipPayload, parseSlipPayload } from "../../../domain/slip/payload.ts"
import { qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { encodeWalletPayload } from "../../../domain/slip/wallet-payload.ts"
import forms from "../../fixtures/reference-forms.json" with { type: "json" }

/** A slip whose checksum begins with a zero, so that an app may lose it. */
const withZero = Array.from({ length: 1_000 }, (_, at) => encodeSlipPayload("014", `REF${at}`))
  .find((text) => text.at(-4) === "0") ?? ""

describe("the slips of QR texts", () => {
  it("are those of banks and of TrueMoney, without other codes", () => {
    const wallet = encodeWalletPayload("50000000000001", "P2P", "2026-11-21")
    const bank = encodeSlipPayload("004", "R1")
    const found = qrSlipsOf(["https://example.com", wallet, "", bank])
    assert.deepStrictEqual(found.map(({ kind, text }) => [kind, text]), [["truemoney", wallet], ["bank", bank]])
  })

  it("are one slip for texts of one transfer, such as a text that lost the zero of its checksum", () => {
    const lost = withZero.slice(0, -4) + withZero.slice(-3)
    assert.strictEqual(qrSlipsOf([lost, withZero]).length, 1)
    assert.strictEqual(qrSlipsOf([withZero, withZero.slice(0, -4) + withZero.slice(-4).toLowerCase()]).length, 1)
    const wallets = ["P2P", "P2M"].map((event) => encodeWalletPayload("50000000000001", event, "2026-11-21"))
    assert.strictEqual(qrSlipsOf(wallets).length, 1)
  })

  it("are several for references that differ in case, and for the same reference at two banks", () => {
    const texts = [["004", "Ab1"], ["004", "aB1"], ["014", "Ab1"]] as const
    assert.strictEqual(qrSlipsOf(texts.map(([bank, ref]) => encodeSlipPayload(bank, ref))).length, 3)
  })
})

describe("the references of real slips", () => {
  it.each(forms.items)("are read in the form of $form", ({ bank, reference }) => {
    const parsed = Result.getOrThrow(parseSlipPayload(encodeSlipPayload(bank, reference)))
    assert.deepInclude(parsed, { sendingBank: bank, transRef: reference, crc: "ok" })
  })
})
