import { assert, layer } from "../support/it.ts"
import { Effect, Layer, Schema } from "effect"
import https from "node:https"
import { beginning } from "../../domain/events/recorded-event.ts"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { Sealed } from "../../domain/sealed.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Vault } from "../../ports/vault.ts"
import { questionOf } from "../contracts/bank-gateway.ts"
import { send } from "../support/banks/local-bank.ts"
import { listening, recording } from "../support/loopback-server.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { certificateOf, testAuthority } from "../support/tls.ts"

const KEY = "a9ba6e4b-3a51-4d8e-9d3a-2b8a5f0e7c11"

const slips = [
  { status: 200, ...questionOf("014", "202611210aBcDeFgHiJk00001") },
  { status: 500, ...questionOf("014", "202611210aBcDeFgHiJk00002") },
  { status: 401, ...questionOf("014", "202611210aBcDeFgHiJk00003") }
]

/** A vendor that repeats the key in every field of its answers, and the service with this vendor. */
const layerService = Layer.unwrap(Effect.gen(function* () {
  const server = https.createServer(
    certificateOf("trusted"),
    recording([], ({ body, headers, url }, response) => {
      const slip = slips.find(({ payload }) => body.includes(payload))
      const echo = headers.authorization
      if (slip === undefined) return send(response, { status: 500, body: { error: { code: KEY, message: url } } })
      const { status, transRef } = slip
      const name = { th: echo, en: echo }
      const rawSlip = {
        transRef,
        date: "2026-11-21T15:45:00+07:00",
        amount: { amount: 99 },
        ref1: KEY,
        sender: { bank: {}, account: { name } },
        receiver: { bank: {}, account: { name, bank: { type: "BANKAC", account: KEY } } }
      }
      return send(response, {
        status,
        headers: { "retry-after": KEY, "x-key": KEY },
        body: status === 200
          ? { success: true, data: { rawSlip }, message: echo }
          : { success: false, error: { code: status === 500 ? KEY : "INVALID_API_KEY", message: echo } }
      })
    })
  )
  const port = yield* listening(server, "127.0.0.1")
  return layerRunningService({
    BANK_GATEWAYS: "easyslip",
    EASYSLIP_API_KEY: KEY,
    EASYSLIP_BASE_URL: `https://127.0.0.1:${port}`,
    EGRESS_CA_FILE: testAuthority.file
  })
}))

layer.live(layerService)("a vendor that repeats its key", (it) => {
  it.effect("reveals it in no answer, event, evidence, log line or metric", function* () {
    const { admin, call, createService, logs, verify } = yield* RunningService
    const { mainBranch } = yield* createService({ quota: 100 })
    const answers = []
    for (const { payload } of slips) answers.push(yield* verify(mainBranch.apiKey, payload))
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 500, 500])

    const events = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 10_000 }))
    const { open } = yield* Vault
    const evidence = yield* Effect.forEach(
      events.flatMap((event) => {
        const { data, position } = event
        return typeof data === "object" && data !== null && "upstream" in data && isSealed(data["upstream"])
          ? [{ sealed: data["upstream"], place: { record: recordOf(event), position } }]
          : []
      }),
      ({ place, sealed }) => open("bank-answer", sealed, place)
    )
    assert.lengthOf(evidence, 3)
    for (const body of evidence) assert.include(body, "Bearer ***")

    const trail = yield* Effect.forEach(
      slips,
      ({ sendingBank, transRef }) => admin("GET", `/trail?slip=${sendingBank}:${transRef}`)
    )
    for (const { status, text } of trail) {
      assert.strictEqual(status, 200, text)
    }
    const metrics = yield* call("GET", "/metrics")
    const shown = [...answers, ...trail, metrics].map(({ text }) => text)
    const stored = events.map(({ data, metadata }) => JSON.stringify({ data, metadata }))
    const all = [...shown, ...stored, ...evidence, ...logs].join("\n")
    assert.include(all, "EasySlip answered code INVALID_API_KEY with HTTP 401")
    assert.include(all, "EasySlip answered no known code with HTTP 500")
    assert.notInclude(all.toLowerCase(), KEY)
  })
})

const isSealed = Schema.is(Sealed)
