import { assert, describe, it, layer } from "../support/it.ts"
import { ConfigProvider, Context, Effect, Layer, Schema } from "effect"
import { rawSlip } from "../../application/verification/verification-view.ts"
import { Transfer } from "../../domain/slip/transfer.ts"
import { transactionIdOf, TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { checkGateways } from "../../infrastructure/commands/doctor/gateways.ts"
import { readSettings } from "../../infrastructure/platform/settings/settings.ts"
import { isVendor, type Vendor, vendors } from "../../infrastructure/commands/vendor-mock/vendors.ts"
import { newSlip } from "../support/client.ts"
import { type Env, layerRunningService, RunningService } from "../support/service.ts"
import { makeShiftedClock } from "../support/shifted-clock.ts"
import { bodyOf, type Fixture, fixture, fixtures, ofSlip, serving } from "../support/vendors/fixtures.ts"
import { type RunningVendors, startVendorMock } from "../support/vendors/start-vendor-mock.ts"
import { assertFailure } from "./assert-answer.ts"

/** A service that asks these vendors, at the time of the fixtures. */
class Shop extends Context.Service<Shop, {
  readonly mock: RunningVendors
  readonly names: ReadonlyArray<Vendor>
  readonly advance: (millis: number) => void
  readonly apiKey: string
}>()("test/Shop") {}

/** Minutes after the slips of the fixtures: they are older than the window of each bank. */
const STARTS_AT = Date.parse("2026-11-22T10:30:00+07:00")

const layerShop = (
  names: ReadonlyArray<Vendor>,
  protocol: "http" | "https",
  envOf: (origin: string) => Env = () => ({})
) =>
  Layer.unwrap(Effect.gen(function* () {
    const mock = yield* startVendorMock(protocol)
    const { advance, layer: layerClock } = yield* makeShiftedClock(STARTS_AT)
    const env = { ...mock.env, BANK_GATEWAYS: names.join(","), ...envOf(mock.origin) }
    return Layer.effect(
      Shop,
      Effect.gen(function* () {
        const { mainBranch } = yield* (yield* RunningService).createService({})
        return { mock, names, advance, apiKey: mainBranch.apiKey }
      })
    ).pipe(Layer.provideMerge(layerRunningService(env)), Layer.provide(layerClock))
  }))

/** Says nothing about the slip, and nothing against the vendor: the next vendor is asked. */
const noStatement: Readonly<Record<Vendor, string>> = {
  easyslip: "easyslip/validation-error.json",
  thunder: "easyslip/validation-error.json",
  slipok: "slipok/not-a-slip-1008.json",
  slip2go: "slip2go/qr-incorrect-400001.json",
  rdcw: "rdcw/invalid-1005.json"
}

/** Longer than a circuit is open after a refusal. */
const CIRCUIT_MILLIS = 601_000
/** An uncertain answer is believed when the same vendor repeats it after this time. */
const CONFIRM_MILLIS = 61_000

let slips = 0

/** Lets one vendor answer with the fixture and the others with nothing. Each call asks about a new slip. */
const given = Effect.fnUntraced(function* (vendor: Vendor, each: Fixture) {
  const { advance, apiKey, mock, names } = yield* Shop
  const { call, verify } = yield* RunningService
  advance(CIRCUIT_MILLIS)
  for (const name of names) {
    mock.change(name, name === vendor ? { answer: null } : serving(fixture(noStatement[name])))
  }
  // A slip that the vendor finds closes its circuit.
  assert.strictEqual((yield* verify(apiKey, newSlip({ at: STARTS_AT }).payload)).status, 200)
  const metric = Effect.fnUntraced(function* (name: string, ...labels: ReadonlyArray<string>) {
    const { text } = yield* call("GET", "/metrics")
    const line = text.split("\n").find((line) =>
      line.startsWith(`${name}{`) && [`gateway="${vendor}"`, ...labels].every((label) => line.includes(label))
    )
    return Number(line?.split(" ").at(-1) ?? 0)
  })
  const newCase = () => {
    const slip = ofSlip(each, ++slips)
    return {
      ...slip,
      ask: Effect.suspend(() => {
        mock.change(vendor, { answer: slip.answer })
        return verify(apiKey, slip.payload)
      })
    }
  }
  return { advance, metric, newCase }
})

const failed = [500, "API_SERVER_ERROR", "External API error"] as const
const notFound = [404, "SLIP_NOT_FOUND", "Slip not found or invalid"] as const

const decodeTransfer = Schema.decodeUnknownSync(Transfer)

/** Asks about slips that the vendor answers with the fixture, and compares the service's answer. */
const expectOutcome = Effect.fnUntraced(function* (vendor: Vendor, each: Fixture) {
  const { advance, metric, newCase } = yield* given(vendor, each)
  const { ask, expected, payload } = newCase()
  const answer = yield* ask
  switch (expected.outcome) {
    case "Found":
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual<unknown>(answer.data.rawSlip, rawSlip(payload, decodeTransfer(expected.transfer)))
      return
    case "NotFound":
      if (expected.strength === "weak") {
        assertFailure(answer, ...failed)
        advance(CONFIRM_MILLIS)
      }
      assertFailure(expected.strength === "weak" ? yield* ask : answer, ...notFound)
      return
    case "Pending":
      assert.strictEqual(answer.error?.code, "SLIP_PENDING", answer.text)
      assert.strictEqual(answer.headers.get("retry-after"), String(expected.retryAfterSeconds))
      return
    case "NotAuthorised":
    case "QuotaExhausted":
      assertFailure(answer, ...failed)
      assert.strictEqual(
        yield* metric("sliptrail_gateway_refused", `cause="${expected.cause ?? "quota"}"`),
        1
      )
      return
    default:
      assertFailure(answer, ...failed)
      // Five slips show whom the failure concerns: only that of a gateway opens its circuit.
      yield* Effect.all([newCase().ask, newCase().ask, newCase().ask], { concurrency: "unbounded", discard: true })
      assert.strictEqual(yield* metric("sliptrail_gateway_circuit_open"), 0)
      yield* newCase().ask
      assert.strictEqual(yield* metric("sliptrail_gateway_circuit_open"), expected.concerns === "gateway" ? 1 : 0)
  }
})

/** Sends the picture of a new TrueMoney slip, which the vendor answers with the fixture. */
const expectWalletOutcome = Effect.fnUntraced(function* (each: Fixture) {
  const { advance, apiKey, mock } = yield* Shop
  const { call } = yield* RunningService
  advance(CIRCUIT_MILLIS)
  mock.change("thunder", serving(fixture(noStatement.thunder)))
  const { payload, transRef } = newSlip({ bank: TRUEMONEY, receiver: WALLET_RECEIVER.index, at: STARTS_AT })
  const transactionId = transactionIdOf(transRef)
  const body = bodyOf(each).replaceAll("50000000000001", transactionId)
  mock.change("easyslip", { answer: { status: each.status, headers: each.headers, body } })
  const image = Buffer.from(yield* drawSandboxSlip({ payload })).toString("base64")
  const ask = call<{ readonly rawSlip: object }>("POST", "/v2/verify/truewallet", { key: apiKey, body: { image } })
  const first = yield* ask
  if (each.expected.outcome === "Found") {
    assert.strictEqual(first.status, 200, first.text)
    assert.deepStrictEqual(first.data.rawSlip, {
      transactionId,
      date: "2026-11-22T10:15:00+07:00",
      amount: 99,
      sender: { name: "สมชาย ***" },
      receiver: { name: "มานี ***", phone: "080-***-1234" }
    })
    return
  }
  assertFailure(first, ...failed)
  advance(CONFIRM_MILLIS)
  assertFailure(yield* ask, ...notFound)
})

/** The fixtures about bank slips in these folders. */
const aboutSlips = (isOne: (each: Fixture) => boolean) =>
  fixtures.filter((each) => each.question !== null && isOne(each)).map((each) => [each.file, each] as const)

const vendorOf = ({ vendor }: Fixture): Vendor => {
  const name = vendor === "easyslip-v1" ? "easyslip" : vendor
  if (!isVendor(name)) throw new Error(`${name} is not a gateway`)
  return name
}

const isFirstVersion = ({ request, vendor }: Fixture): boolean => vendor === "easyslip-v1" || /\/v1\//u.test(request)

describe("each answer of a vendor has its outcome for the caller", () => {
  // Without TLS, which would take most of the time of these 800 connections.
  layer.live(layerShop(vendors, "http"))("over HTTP", (it) => {
    it.effect.each(aboutSlips((each) => isVendor(each.vendor) && !isFirstVersion(each)))(
      "%s",
      ([, each]) => expectOutcome(vendorOf(each), each)
    )

    it.effect.each(["easyslip/truewallet-found.json", "easyslip/truewallet-not-found.json"])(
      "%s",
      (file) => expectWalletOutcome(fixture(file))
    )
  })

  const firstVersions = (origin: string) => ({
    EASYSLIP_BASE_URL: `${origin}/easyslip/api/v1`,
    RDCW_BASE_URL: `${origin}/rdcw/v1`
  })
  layer.live(layerShop(["easyslip", "rdcw"], "https", firstVersions))(
    "in the first version of the API, over TLS",
    (it) => {
      it.effect.each(aboutSlips(isFirstVersion))("%s", ([, each]) => expectOutcome(vendorOf(each), each))
    }
  )
})

describe("the doctor", () => {
  it.live.each(
    fixtures.filter(({ expected }) => expected.outcome === "Quota").map((each) => [each.file, each] as const)
  )(
    "shows what is left at the vendor, and until when: %s",
    ([, each]) =>
      Effect.gen(function* () {
        const mock = yield* startVendorMock()
        const vendor = vendorOf(each)
        mock.change(vendor, serving(each))
        const firstVersion = { EASYSLIP_BASE_URL: `${mock.origin}/easyslip/api/v1` }
        const env = { ...mock.env, BANK_GATEWAYS: vendor, ...isFirstVersion(each) ? firstVersion : {} }

        const findings = yield* checkGateways(yield* readSettings.parse(ConfigProvider.fromEnvRecord(env)))

        const { limit = null, remaining = null } = each.expected
        const size = limit === null ? "" : ` of ${limit}`
        const left = remaining === null ? "questions without a limit" : `${remaining} questions left${size}`
        const [finding] = findings
        assert.match(finding?.message ?? "", new RegExp(`${left}, until 2026-(11-30|12-01)$`, "u"))
        assert.deepInclude(mock.state(vendor).charges, { asked: 0, charged: 0 })
      })
  )
})
