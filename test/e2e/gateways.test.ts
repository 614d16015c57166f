import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { questionOf } from "../contracts/bank-gateway.ts"
import { startBothBanks } from "../support/banks/both-banks.ts"
import { kbankCredentials } from "../support/banks/kbank-bank.ts"
import { type LocalBank, send, slipKey } from "../support/banks/local-bank.ts"
import { scbCredentials } from "../support/banks/scb-bank.ts"
import { kbankSlipData, scbSlipData } from "../support/banks/slip-data.ts"
import { type CallbackReceiver, startCallbackReceiver } from "../support/callback-receiver.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertV1Failure } from "./assert-answer.ts"

interface Slip {
  readonly payload: string
  readonly transRef: string
}

/** The banks behind the service. Each answers with another amount, so that a test can tell their answers apart. */
class Banks extends Context.Service<Banks, {
  readonly kbank: LocalBank
  readonly scb: LocalBank
  /** Makes a slip that these banks know. */
  readonly newSlip: (...knownTo: ReadonlyArray<"kbank" | "scb">) => Slip
  readonly receiver: CallbackReceiver
}>()("test/Banks") {}

const kbankAmount = 1500.5
const scbAmount = 99

const layerBanks = Layer.unwrap(Effect.gen(function* () {
  const slips = { kbank: new Map<string, object>(), scb: new Map<string, object>() }
  const { env, kbank, scb } = yield* startBothBanks(slips)
  const receiver = yield* startCallbackReceiver()
  let made = 0
  const newSlip = (...knownTo: ReadonlyArray<"kbank" | "scb">): Slip => {
    const slip = questionOf("014", `202611210aBcDeFgHiJk${String(++made).padStart(5, "0")}`)
    if (knownTo.includes("kbank")) slips.kbank.set(slipKey(slip), kbankSlipData(slip, { amount: kbankAmount }))
    if (knownTo.includes("scb")) slips.scb.set(slipKey(slip), scbSlipData(slip, { amount: scbAmount.toFixed(2) }))
    return slip
  }
  const service = layerRunningService({ ...env, ...receiver.env })
  return Layer.merge(Layer.succeed(Banks, { kbank, scb, newSlip, receiver }), service)
}))

/** A new service, and banks without faults. */
const given = Effect.gen(function* () {
  const banks = yield* Banks
  const { createService, verify } = yield* RunningService
  const { mainBranch } = yield* createService({ quota: 100 })
  banks.kbank.override("slip")
  banks.scb.override("slip")
  const breakDown = (bank: LocalBank) =>
    bank.override("slip", (_, response) => send(response, { status: 503, body: "<html>โอ๊ย</html>" }))
  return {
    ...banks,
    breakDown,
    apiKey: mainBranch.apiKey,
    verify: ({ payload }: Slip) => verify(mainBranch.apiKey, payload)
  }
})

/** The value of a metric's series with these labels. */
const metric = Effect.fnUntraced(function* (name: string, ...labels: ReadonlyArray<string>) {
  const { text } = yield* (yield* RunningService).call("GET", "/metrics")
  const line = text.split("\n").find((line) =>
    line.startsWith(`${name}{`) && labels.every((label) => line.includes(label))
  )
  return line === undefined ? 0 : Number(line.split(" ").at(-1))
})

/** Answers of a gateway so far. Tests of one process share the metrics. */
const answersOf = (gateway: string, outcome: string) =>
  metric("sliptrail_gateway_answers_total", `gateway="${gateway}"`, `outcome="${outcome}"`)

const lastEvent = Effect.gen(function* () {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 10_000 })
  const last = events.findLast(({ type }) => type === "SlipVerified" || type === "VerificationFailed")
  return { data: last?.data, text: JSON.stringify(last?.data) }
})

const down = [500, "API_SERVER_ERROR", "External API error"] as const
const notFound = [404, "SLIP_NOT_FOUND", "Slip not found or invalid"] as const

layer.live(layerBanks)("real banks behind the service", (it) => {
  it.effect("are asked in order, and the first answer counts", function* () {
    const { newSlip, scb, verify } = yield* given
    const slip = newSlip("kbank", "scb")
    const before = yield* answersOf("kbank", "found")

    const { data, headers, status, text } = yield* verify(slip)

    assert.strictEqual(status, 200, text)
    assert.isNull(headers.get("x-sandbox"))
    assert.strictEqual(data.amountInSlip, kbankAmount)
    assert.strictEqual(data.rawSlip.transRef, slip.transRef)
    assert.strictEqual(data.rawSlip.date, "2026-11-21T15:45:00+07:00")
    assert.strictEqual(data.rawSlip.receiver.account.name.th, "นาย สมหมาย ท")
    assert.lengthOf(scb.requests("slip"), 0)
    const answers = before + 1
    assert.strictEqual(yield* answersOf("kbank", "found"), answers)
    const timed = yield* metric("sliptrail_gateway_seconds_count", `gateway="kbank"`, `outcome="found"`)
    assert.strictEqual(timed, answers)
    assert.strictEqual(yield* metric("sliptrail_gateway_circuit_open", `gateway="scb"`), 0)
  })

  it.effect("do not verify TrueMoney slips, and the answer says so before it reads the picture", function* () {
    const { apiKey } = yield* given
    const { call } = yield* RunningService
    const later = { url: "https://shop.example/slip.png" }
    for (
      const [path, body] of [
        ["/v2/verify/truewallet", { base64: "aGVsbG8=" }],
        ["/v2/verify/truewallet/async", later],
        ["/v2/verify/truewallet/batch", { slips: [later] }]
      ] as const
    ) {
      assertFailure(
        yield* call("POST", path, { key: apiKey, body }),
        501,
        "TRUEWALLET_NOT_SUPPORTED",
        "No gateway of this service verifies TrueMoney slips: ask its operator"
      )
    }
    const v1 = yield* call("POST", "/api/v1/verify/truewallet", { key: apiKey, body: { data: "aGVsbG8=" } })
    assertV1Failure(v1, 501, "truewallet_not_supported")
  })

  it.effect("replace each other on failure, and the trail names the failed bank", function* () {
    const { breakDown, kbank, newSlip, verify } = yield* given
    breakDown(kbank)
    const before = yield* Effect.all([answersOf("kbank", "unavailable"), answersOf("scb", "found")])

    const { data, status } = yield* verify(newSlip("kbank", "scb"))

    assert.deepStrictEqual([status, data.amountInSlip], [200, scbAmount])
    const event = yield* lastEvent
    assert.deepInclude(event.data, { gateway: "scb" })
    assert.include(event.text, "KBank answered HTTP 503")
    assert.notMatch(event.text, /[\u0e00-\u0e7f]|SOMCHAI|<html>/u)
    const after = yield* Effect.all([answersOf("kbank", "unavailable"), answersOf("scb", "found")])
    assert.deepStrictEqual(after, [before[0] + 1, before[1] + 1])
  })

  it.effect("answer SLIP_NOT_FOUND when the first bank does not know the slip, without asking the others", function* () {
    const { newSlip, verify } = yield* given
    assertFailure(yield* verify(newSlip("scb")), ...notFound)
    assert.deepInclude((yield* lastEvent).data, { gateway: "kbank" })
  })

  it.effect("are not marked as the sandbox in callbacks", function* () {
    const { apiKey, newSlip, receiver } = yield* given
    const { payload } = newSlip("kbank")
    const { call } = yield* RunningService
    const body = { payload, callbackUrl: receiver.url }

    const { status, text } = yield* call("POST", "/v2/verify/bank/async", { key: apiKey, body })

    assert.strictEqual(status, 202, text)
    const [arrival] = yield* eventually(Effect.sync(() => receiver.arrivals), ({ length }) => length > 0)
    assert.include(arrival?.body ?? "", `"status":"success"`)
    assert.isUndefined(arrival?.headers["x-sandbox"])
  })

  it.effect("answer with Retry-After, not SLIP_NOT_FOUND, while the first bank is down", function* () {
    const { breakDown, kbank, newSlip, scb, verify } = yield* given
    const slip = newSlip("kbank")
    breakDown(kbank)
    for (const scbIsDown of [false, true]) {
      if (scbIsDown) breakDown(scb)
      const answer = yield* verify(slip)
      assertFailure(answer, ...down)
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
    }
    kbank.override("slip")
    assert.strictEqual((yield* verify(slip)).status, 200)
  })

  it.effect("are not asked after five consecutive failures, while the others answer", function* () {
    const { breakDown, kbank, newSlip, verify } = yield* given
    breakDown(kbank)
    for (let times = 0; times < 5; times++) assert.strictEqual((yield* verify(newSlip("scb"))).status, 200)
    assert.strictEqual(yield* metric("sliptrail_gateway_circuit_open", `gateway="kbank"`), 1)
    const askedBefore = kbank.requests("slip").length

    assert.strictEqual((yield* verify(newSlip("scb"))).status, 200)

    assert.lengthOf(kbank.requests("slip"), askedBefore)
    assert.include((yield* lastEvent).text, "KBank was not asked")
    assert.strictEqual(yield* metric("sliptrail_gateway_circuit_open", `gateway="scb"`), 0)
  })

  it.effect("leak no secrets into log lines, events or metrics", function* () {
    const { call, logs } = yield* RunningService
    const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 10_000 })
    const stored = JSON.stringify(events.map(({ data, metadata }) => ({ data, metadata })))
    const all = [...logs, stored, (yield* call("GET", "/metrics")).text].join("\n")
    assert.include(all, "KBank failed five times in a row")
    for (const secret of [...Object.values(kbankCredentials), ...Object.values(scbCredentials), "of-a-test"]) {
      assert.notInclude(all, secret)
    }
  })
})
