import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { encodeWalletPayload } from "../../../../domain/slip/wallet-payload.ts"
import { WALLET_RECEIVER } from "../../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { makeVendorMock } from "../../../../infrastructure/commands/vendor-mock/mock.ts"
import { ask, layerReading, newSlip, protocols } from "./ask-vendor.ts"

const verify = Effect.fnUntraced(function* (vendor: "easyslip" | "thunder", text: string) {
  const mock = yield* makeVendorMock
  const body = { base64: "cGljdHVyZQ==", checkDuplicate: true }
  const send = ask(mock, protocols[vendor].headers, ["POST", `/${vendor}/v2/verify/truewallet`, body])
  const [first, second] = yield* Effect.all([send, send]).pipe(Effect.provide(layerReading(text)))
  return { first: JSON.parse(first.text), second: JSON.parse(second.text), charges: mock.state(vendor).charges }
})

const newWalletSlip = () => newSlip({ bank: "TRUEMONEY" })

describe("wallet slips at sliptrail vendor-mock", () => {
  it.effect.each(["easyslip", "thunder"] as const)("are those of the sandbox bank: %s", function* (vendor) {
    const { payload, transRef } = newWalletSlip()
    const { charges, first, second } = yield* verify(vendor, payload)

    const { rawSlip, ...data } = first.data
    assert.deepStrictEqual(data, { isDuplicate: false, matchedAccount: null, amountInSlip: 1500.5 })
    assert.deepInclude(rawSlip, {
      transactionId: transRef.slice("TW".length),
      date: "2026-11-22T10:15:00+07:00",
      amount: 1500.5,
      receiver: { name: WALLET_RECEIVER.name, phone: WALLET_RECEIVER.phone }
    })
    assert.isNotEmpty(rawSlip.sender.name)
    assert.isTrue(second.data.isDuplicate)
    assert.deepInclude(charges, { asked: 2, charged: 1, freeRepeats: 1 })
  })

  it.effect.each<readonly [what: string, text: string]>([
    ["another transaction id", encodeWalletPayload("50000000000001", "P2P", "2026-11-22")],
    ["a wrong checksum", `${newWalletSlip().payload.slice(0, -4)}0000`],
    ["a bank slip", newSlip().payload]
  ])("are not found: %s", ([, text]) =>
    Effect.gen(function* () {
      const { charges, first } = yield* verify("easyslip", text)
      assert.strictEqual(first.error.code, "SLIP_NOT_FOUND")
      assert.strictEqual(charges.charged, 0)
    }))
})
