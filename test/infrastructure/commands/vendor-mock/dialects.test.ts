import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { makeVendorMock } from "../../../../infrastructure/commands/vendor-mock/mock.ts"
import type { VendorChanges } from "../../../../infrastructure/commands/vendor-mock/plan.ts"
import { bodyOf, fixture } from "../../../support/vendors/fixtures.ts"
import { isVendor, vendors } from "../../../../infrastructure/commands/vendor-mock/vendors.ts"
import { ask, askQuota, askSlip, layerNoSlipReader, newSlip, type ProtocolName, protocols } from "./ask-vendor.ts"

/** The names and kinds of all fields, without the values. */
const shapeOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
}

const vendorOf = (name: ProtocolName) => {
  const vendor = name.split("-", 1)[0] ?? ""
  if (!isVendor(vendor)) throw new Error(`${name} is of no vendor`)
  return vendor
}

/** The answer to a question about a new slip. */
const answerTo = Effect.fnUntraced(function* (name: ProtocolName, changes: VendorChanges = {}) {
  const mock = yield* makeVendorMock
  mock.change(vendorOf(name), changes)
  return yield* askSlip(mock, name, newSlip({ bank: "002" }).payload)
}, Effect.provide(layerNoSlipReader))

/** Receiver 0 has a bank account, as in these fixtures. Personal names and numbers differ only in their values. */
const foundIn: Readonly<Record<ProtocolName, string>> = {
  "easyslip": "easyslip/found.json",
  "easyslip-v1": "easyslip-v1/found.json",
  "thunder": "thunder/found.json",
  "slipok": "slipok/found.json",
  "slip2go": "slip2go/found-200000.json",
  "rdcw": "rdcw/found.json",
  "rdcw-v1": "rdcw/found-nested.json"
}

const protocolNames = Object.keys(protocols).filter((name): name is ProtocolName => name in protocols)

describe("the vendors of sliptrail vendor-mock", () => {
  it.effect.each(protocolNames)("answer with the fields of a real answer: %s", function* (name) {
    const { headers, status, text } = yield* answerTo(name)

    assert.strictEqual(status, 200)
    assert.strictEqual(headers["content-type"], "application/json; charset=utf-8")
    assert.deepStrictEqual(shapeOf(JSON.parse(text)), shapeOf(JSON.parse(bodyOf(fixture(foundIn[name])))))
  })

  it.effect.each(
    [
      ["easyslip", { fault: "not-found" }, "easyslip/not-found.json"],
      ["easyslip", { fault: "pending" }, "easyslip/pending.json"],
      ["easyslip", { fault: "wrong-ip" }, "easyslip/ip-not-allowed.json"],
      ["easyslip", { fault: "expired" }, "easyslip/branch-inactive.json"],
      ["easyslip", { fault: "rate-limit" }, "easyslip/rate-limited.json"],
      ["easyslip", { fault: "bank-down" }, "easyslip/server-error.json"],
      ["easyslip", { account: { remaining: 0 } }, "easyslip/quota-exceeded.json"],
      ["easyslip-v1", { fault: "not-found" }, "easyslip-v1/not-found.json"],
      ["easyslip-v1", { fault: "pending" }, "easyslip-v1/pending.json"],
      ["easyslip-v1", { fault: "wrong-key" }, "easyslip-v1/unauthorized.json"],
      ["easyslip-v1", { fault: "expired" }, "easyslip-v1/expired.json"],
      ["easyslip-v1", { account: { remaining: 0 } }, "easyslip-v1/quota-exceeded.json"],
      ["thunder", { fault: "wrong-key" }, "thunder/bad-key.json"],
      ["slipok", { fault: "not-found" }, "slipok/not-found-1011.json"],
      ["slipok", { fault: "pending" }, "slipok/pending-1010.json"],
      ["slipok", { fault: "bank-down" }, "slipok/bank-down-1009.json"],
      ["slipok", { fault: "wrong-key" }, "slipok/bad-key-1002.json"],
      ["slipok", { fault: "expired" }, "slipok/package-expired-1003.json"],
      ["slipok", { account: { remaining: -400 } }, "slipok/quota-1004.json"],
      ["slip2go", { fault: "not-found" }, "slip2go/not-found-200404.json"],
      ["slip2go", { fault: "pending" }, "slip2go/not-found-200404.json"],
      ["slip2go", { fault: "bank-down" }, "slip2go/bank-error-200502.json"],
      ["slip2go", { fault: "wrong-key" }, "slip2go/bad-key-401001.json"],
      ["slip2go", { fault: "wrong-ip" }, "slip2go/ip-401007.json"],
      ["slip2go", { fault: "expired" }, "slip2go/package-expired-401004.json"],
      ["slip2go", { account: { remaining: 0 } }, "slip2go/quota-401005.json"],
      ["slip2go", { fault: "rate-limit" }, "slip2go/rate-limited-429000.json"],
      ["rdcw", { fault: "not-found" }, "rdcw/not-found-2006.json"],
      ["rdcw", { fault: "pending" }, "rdcw/not-found-2006.json"],
      ["rdcw", { fault: "bank-down" }, "rdcw/bank-down-2002.json"],
      ["rdcw", { fault: "wrong-key" }, "rdcw/bad-key-1001.json"],
      ["rdcw", { fault: "wrong-ip" }, "rdcw/ip-1003.json"],
      ["rdcw", { fault: "expired" }, "rdcw/expired-1008.json"],
      ["rdcw", { account: { remaining: 0 } }, "rdcw/quota-1007.json"],
      ["rdcw-v1", { account: { remaining: 0 } }, "rdcw/v1-quota-21001.json"]
    ] as const
  )("refuse with the status and the code of a real answer: %s %j", function* ([name, changes, file]) {
    const { headers, status, text } = yield* answerTo(name, changes)

    const expected = fixture(file)
    assert.strictEqual(status, expected.status)
    assert.strictEqual(headers["retry-after"], status === 429 ? "2" : undefined)
    const [body, real] = [JSON.parse(text), JSON.parse(bodyOf(expected))]
    assert.deepStrictEqual(shapeOf(body), shapeOf(real))
    assert.deepStrictEqual([body.code, body.error?.code], [real.code, real.error?.code])
    if (name === "easyslip-v1") assert.strictEqual(body.message, real.message)
  })

  it.effect.each(
    [
      ["easyslip", "easyslip/info.json"],
      ["easyslip-v1", "easyslip-v1/me.json"],
      ["slipok", "slipok/quota.json"],
      ["slip2go", "slip2go/account-info.json"]
    ] as const
  )("state the quota with the fields of a real answer: %s", ([name, file]) =>
    Effect.gen(function* () {
      const mock = yield* makeVendorMock
      const expiresAt = "2026-12-01T00:00:00.000Z"
      mock.change(vendorOf(name), { account: { limit: 250, remaining: 10, expiresAt } })
      const { status, text } = yield* askQuota(mock, name)

      assert.strictEqual(status, 200)
      // The creation time of the renewal is not told.
      const real = JSON.parse(bodyOf(fixture(file)).replace(/"createdAt": "[^"]*",/u, ""))
      assert.deepStrictEqual(shapeOf(JSON.parse(text)), shapeOf(real))
      assert.match(text, /10[,}]/u)
      assert.include(text, "2026-12-01")
      assert.deepStrictEqual(mock.state(vendorOf(name)).charges, {
        asked: 0,
        askedQuota: 1,
        charged: 0,
        freeRepeats: 0,
        chargedTwice: []
      })
    }).pipe(Effect.provide(layerNoSlipReader)))

  it.effect.each(vendors)("refuse a wrong key: %s", (vendor) =>
    Effect.gen(function* () {
      const mock = yield* makeVendorMock
      const [method, url, body] = protocols[vendor].slip(newSlip().payload, false)
      const wrong = { "authorization": "Bearer wrong", "x-authorization": "wrong" }
      const { text } = yield* ask(mock, wrong, [method, url, body])

      assert.match(text, /INVALID_API_KEY|1001|1002|401001/u)
      assert.strictEqual(mock.state(vendor).charges.charged, 0)
    }).pipe(Effect.provide(layerNoSlipReader)))
})
