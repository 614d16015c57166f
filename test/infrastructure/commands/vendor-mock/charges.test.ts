import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { makeVendorMock } from "../../../../infrastructure/commands/vendor-mock/mock.ts"
import type { Vendor } from "../../../../infrastructure/commands/vendor-mock/vendors.ts"
import { vendors } from "../../../../infrastructure/commands/vendor-mock/vendors.ts"
import { askQuota, askSlip, layerNoSlipReader, newSlip } from "./ask-vendor.ts"

/** Asks twice about one slip. Returns the second answer and the counts. */
const askTwice = Effect.fnUntraced(function* (vendor: Vendor, free: boolean) {
  const mock = yield* makeVendorMock
  const slip = newSlip()
  yield* askSlip(mock, vendor, slip.payload, free)
  const { status, text } = yield* askSlip(mock, vendor, slip.payload, free)
  return { status, body: JSON.parse(text), text, slip, ...mock.state(vendor) }
}, Effect.provide(layerNoSlipReader))

describe("the charges of sliptrail vendor-mock", () => {
  it.effect.each(
    [
      ["easyslip", 200, `"isDuplicate":true`],
      ["thunder", 200, `"isDuplicate":true`],
      ["slipok", 400, `"code":1012`],
      ["slip2go", 200, `"code":"200501"`],
      ["rdcw", 200, `"isCached":true`]
    ] as const
  )("are nothing for a repeat that the vendor offers free: %s", function* ([vendor, expected, mark]) {
    const { account, charges, slip, status, text } = yield* askTwice(vendor, true)

    assert.strictEqual(status, expected)
    assert.include(text, mark)
    assert.include(text, slip.transRef)
    assert.deepInclude(charges, { asked: 2, charged: 1, freeRepeats: 1, chargedTwice: [] })
    assert.strictEqual(account.remaining, 999)
  })

  it.effect.each(["easyslip", "thunder", "slipok", "slip2go"] as const)(
    "are double for a repeat without that option: %s",
    function* (vendor) {
      const { account, charges, slip, status } = yield* askTwice(vendor, false)

      assert.strictEqual(status, 200)
      const chargedTwice = [`${slip.sendingBank}:${slip.transRef}`]
      assert.deepInclude(charges, { asked: 2, charged: 2, freeRepeats: 0, chargedTwice })
      assert.strictEqual(account.remaining, 998)
    }
  )

  it.effect.each(vendors)(
    "are nothing for an unknown slip, except at Slip2Go: %s",
    (vendor) =>
      Effect.gen(function* () {
        const mock = yield* makeVendorMock
        yield* askSlip(mock, vendor, newSlip({ outcome: "not-found" }).payload)
        assert.strictEqual(mock.state(vendor).charges.charged, vendor === "slip2go" ? 1 : 0)

        mock.change(vendor, { account: { chargesNotFound: true } })
        yield* askSlip(mock, vendor, newSlip({ outcome: "not-found" }).payload)
        assert.strictEqual(mock.state(vendor).charges.charged, vendor === "slip2go" ? 2 : 1)
      }).pipe(Effect.provide(layerNoSlipReader))
  )

  it.effect("use up the quota, and SlipOK goes on to its credit limit", () =>
    Effect.gen(function* () {
      const mock = yield* makeVendorMock
      for (const vendor of ["easyslip", "slipok"] as const) {
        mock.change(vendor, { account: { remaining: 1, overdraft: vendor === "slipok" ? 1 : 0 } })
      }
      const codes = yield* Effect.forEach(["easyslip", "slipok"] as const, (vendor) =>
        Effect.forEach([1, 2, 3], () => askSlip(mock, vendor, newSlip().payload)))

      const [easyslip, slipok] = codes.map((answers) =>
        answers.map(({ text }) => JSON.parse(text))
      )
      assert.deepStrictEqual(easyslip?.map(({ error }) => error?.code), [undefined, "QUOTA_EXCEEDED", "QUOTA_EXCEEDED"])
      assert.deepStrictEqual(slipok?.map(({ code }) => code), [undefined, undefined, 1004])
      const { text } = yield* askQuota(mock, "slipok")
      assert.deepInclude(JSON.parse(text).data, { quota: 0, overQuota: 1 })
    }).pipe(Effect.provide(layerNoSlipReader)))
})
