import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { crc16, tlv } from "../../../domain/slip/tlv.ts"
import { makeVendorMock } from "../../../infrastructure/vendor-mock/mock.ts"
import { bodyOf, fixture } from "../../support/vendors/fixtures.ts"
import { ask, layerReading, newSlip, protocols } from "./ask-vendor.ts"

/** The QR text of a TrueMoney slip. */
const walletText = (transactionId: string, day = "22112026"): string => {
  const fields = tlv("00", "01") + tlv("01", "01") + tlv("02", "P2P") + tlv("03", transactionId) + tlv("04", day)
  const body = `${tlv("00", fields)}9104`
  return body + crc16(body).toString(16).padStart(4, "0")
}

const verify = Effect.fnUntraced(function* (vendor: "easyslip" | "thunder", times = 1) {
  const mock = yield* makeVendorMock
  const body = { base64: "cGljdHVyZQ==", checkDuplicate: true }
  const answers = yield* Effect.replicateEffect(
    ask(mock, protocols[vendor].headers, ["POST", `/${vendor}/v2/verify/truewallet`, body]),
    times
  )
  return { answers: answers.map(({ text }) => JSON.parse(text)), charges: mock.state(vendor).charges }
})

describe("wallet slips at sliptrail vendor-mock", () => {
  it.effect.each(["easyslip", "thunder"] as const)(
    "are found by the amount in the transaction id: %s",
    (vendor) =>
      Effect.gen(function* () {
        const { answers, charges } = yield* verify(vendor, 2)

        const real = JSON.parse(bodyOf(fixture("easyslip/truewallet-found.json")))
        const [first, second] = answers
        assert.deepStrictEqual(first.data, {
          ...real.data,
          rawSlip: { ...real.data.rawSlip, transactionId: "99000099000001", date: "2026-11-22T12:00:00+07:00" }
        })
        assert.isTrue(second.data.isDuplicate)
        assert.deepInclude(charges, { asked: 2, charged: 1, freeRepeats: 1 })
      }).pipe(Effect.provide(layerReading(walletText("99000099000001"))))
  )

  it.effect.each<readonly [what: string, text: string]>([
    ["another transaction id", walletText("50000000000001")],
    ["no such day", walletText("99000099000001", "31022026")],
    ["a wrong checksum", `${walletText("99000099000001").slice(0, -4)}0000`],
    ["a bank slip", newSlip().payload]
  ])("are not found: %s", ([, text]) =>
    Effect.gen(function* () {
      const { answers, charges } = yield* verify("easyslip")
      assert.strictEqual(answers[0].error.code, "SLIP_NOT_FOUND")
      assert.strictEqual(charges.charged, 0)
    }).pipe(Effect.provide(layerReading(text))))
})
