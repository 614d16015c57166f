import { assert, layer } from "../../../support/it.ts"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import https from "node:https"
import { drawSandboxSlip } from "../../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import type { VendorChanges } from "../../../../infrastructure/commands/vendor-mock/plan.ts"
import { eventually } from "../../../support/eventually.ts"
import { type RunningVendors, startVendorMock } from "../../../support/vendors/start-vendor-mock.ts"
import { testAuthority } from "../../../support/tls.ts"
import { bodyOf, fixture, serving } from "../../../support/vendors/fixtures.ts"
import { newSlip, protocols } from "./ask-vendor.ts"

class Vendors extends Context.Service<Vendors, RunningVendors>()("test/Vendors") {}

interface Received {
  readonly status: number
  readonly text: string
}

/** Sends a request. Fails with the code of the error when no whole response arrives in time. */
const send = (
  url: string,
  { body, headers = {}, method = "GET", timeoutMillis = 10_000 }: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    readonly timeoutMillis?: number
  } = {}
): Effect.Effect<Received, string> =>
  Effect.callback((resume) => {
    const ca = testAuthority.certificate
    const request = https.request(url, { ca, method, headers, agent: false, timeout: timeoutMillis }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message)))
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      })
    })
    request.on("timeout", () => resume(Effect.fail("timeout")))
    request.on("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const askEasySlip = (origin: string, payload = newSlip().payload, timeoutMillis?: number) => {
  const [method, path, body] = protocols.easyslip.slip(payload, true)
  return send(origin + path, {
    method,
    headers: { ...protocols.easyslip.headers, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(timeoutMillis === undefined ? {} : { timeoutMillis })
  })
}

const given = Effect.fnUntraced(function* (changes: VendorChanges = {}) {
  const vendors = yield* Vendors
  yield* vendors.reset
  vendors.change("easyslip", changes)
  return vendors
})

layer.live(Layer.effect(Vendors, startVendorMock()))("sliptrail vendor-mock", (it) => {
  it.effect("answers over TLS, and reports what it was asked and what it charged", function* () {
    const { exchanges, origin } = yield* given()
    const { payload, sendingBank, transRef } = newSlip()
    const { status, text } = yield* askEasySlip(origin, payload)

    assert.strictEqual(status, 200)
    assert.deepInclude(JSON.parse(text).data, { isDuplicate: false, amountInSlip: 1500.5 })
    assert.deepStrictEqual(exchanges.at(-1), {
      vendor: "easyslip",
      asked: "BankSlip",
      reference: `${sendingBank}:${transRef}`,
      said: "found",
      fault: "none"
    })
    const state = JSON.parse((yield* send(`${origin}/_control`)).text)
    assert.deepInclude(state.easyslip.charges, { asked: 1, charged: 1, chargedTwice: [] })
    assert.deepInclude(state.slipok.charges, { asked: 0, charged: 0 })
  })

  it.effect("changes a vendor while it runs, and starts again", function* () {
    const { origin } = yield* given()
    const control = `${origin}/_control`
    const body = JSON.stringify({ easyslip: { fault: "wrong-key", times: 1, account: { remaining: 7 } } })
    const changed = yield* send(control, { method: "PUT", body })
    const statuses = yield* Effect.forEach([1, 2], () => askEasySlip(origin))
    const after = yield* send(control, { method: "DELETE" })

    assert.deepInclude(JSON.parse(changed.text).easyslip.account, { remaining: 7, limit: 1_000 })
    assert.deepStrictEqual(statuses.map(({ status }) => status), [401, 200])
    assert.deepInclude(JSON.parse(after.text).easyslip, { fault: "none", times: null })
  })

  it.effect.each<readonly [body: string, why: string]>([
    ["{", "not JSON"],
    [`{"scb":{}}`, "scb is not one of easyslip"],
    [`{"easyslip":{"fault":"flood"}}`, "easyslip.fault"],
    [`{"easyslip":{"account":{"expiresAt":"soon"}}}`, "ISO 8601"]
  ])("refuses a wrong change: %s", ([body, why]) =>
    Effect.gen(function* () {
      const { origin } = yield* given()
      const { status, text } = yield* send(`${origin}/_control`, { method: "PUT", body })
      assert.strictEqual(status, 400)
      assert.include(JSON.parse(text).error, why)
    }))

  it.effect("serves a fixture unchanged, without a charge", function* () {
    const truncated = fixture("easyslip/truncated.txt")
    const info = fixture("easyslip/info-unlimited.json")
    const { origin, state } = yield* given({ ...serving(truncated), ...serving(info) })
    const slip = yield* askEasySlip(origin)
    const quota = yield* send(`${origin}${protocols.easyslip.quota}`)

    assert.deepStrictEqual(slip, { status: truncated.status, text: bodyOf(truncated) })
    assert.deepStrictEqual(quota, { status: info.status, text: bodyOf(info) })
    assert.deepInclude(state("easyslip").charges, { asked: 1, charged: 0 })
  })

  it.effect("sends an answer about another slip, without amount, without time, and in another zone", function* () {
    const { change, origin } = yield* given()
    const slip = newSlip()
    const rawSlip = (fault: VendorChanges["fault"] & string) =>
      Effect.gen(function* () {
        change("easyslip", { fault })
        return JSON.parse((yield* askEasySlip(origin, slip.payload)).text).data
      })

    assert.notStrictEqual((yield* rawSlip("other-slip")).rawSlip.transRef, slip.transRef)
    const withoutAmount = yield* rawSlip("no-amount")
    assert.isUndefined(withoutAmount.amountInSlip)
    assert.isUndefined(withoutAmount.rawSlip.amount)
    assert.isUndefined((yield* rawSlip("no-time")).rawSlip.date)
    assert.match((yield* rawSlip("wrong-zone")).rawSlip.date, /^2026-11-22T10:15:00(\.000)?Z$/u)
  })

  it.effect("sends what is not JSON, half of the JSON, and more than 256 KiB", function* () {
    const { change, origin } = yield* given({ fault: "not-json" })
    assert.match((yield* askEasySlip(origin)).text, /^<html>/u)
    change("easyslip", { fault: "truncated" })
    const { text } = yield* askEasySlip(origin)
    assert.throws(() => JSON.parse(text))
    change("easyslip", { fault: "too-large" })
    assert.isAbove((yield* askEasySlip(origin)).text.length, 256 * 1024)
  })

  it.effect("closes the connection within the body, or after the request, or never answers", function* () {
    const { change, origin, state } = yield* given({ fault: "cut" })
    assert.strictEqual(yield* Effect.flip(askEasySlip(origin)), "ECONNRESET")
    change("easyslip", { fault: "reset" })
    assert.strictEqual(yield* Effect.flip(askEasySlip(origin)), "ECONNRESET")
    change("easyslip", { fault: "silent" })
    assert.strictEqual(yield* Effect.flip(askEasySlip(origin, undefined, 200)), "timeout")
    assert.deepInclude(state("easyslip").charges, { asked: 3, charged: 3 })
  })

  it.effect("reads the slip of a picture", function* () {
    const { origin } = yield* given()
    const slip = newSlip()
    const base64 = Buffer.from(yield* drawSandboxSlip(slip)).toString("base64")
    const { text } = yield* send(`${origin}/thunder/v2/verify/bank`, {
      method: "POST",
      headers: { ...protocols.thunder.headers, "content-type": "application/json" },
      body: JSON.stringify({ base64 })
    })
    assert.strictEqual(JSON.parse(text).data?.rawSlip.transRef, slip.transRef, text)
  })

  it.effect("cuts every connection at its end", function* () {
    const scope = yield* Scope.make()
    const { change, exchanges, origin } = yield* Scope.provide(startVendorMock(), scope)
    change("easyslip", { fault: "silent" })
    const waiting = yield* Effect.forkChild(Effect.flip(askEasySlip(origin)))
    yield* eventually(Effect.sync(() => exchanges.length), (length) => length === 1)
    yield* Scope.close(scope, Exit.void)
    const failed = yield* Fiber.join(waiting)

    assert.strictEqual(failed, "ECONNRESET")
    assert.strictEqual(yield* Effect.flip(askEasySlip(origin)), "ECONNREFUSED")
  })
})
