import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { assertFailure, assertV1Failure } from "../e2e/assert-answer.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const LIMIT = 50
const CONCURRENCY = 10
const env = { ROLES: "http,projector", TRUSTED_PROXIES: "127.0.0.1", WRONG_KEYS_PER_MINUTE: String(LIMIT) }

const MESSAGE = "Too many wrong API keys from this address. Check the key, and wait before you send it again"

layer.live(layerRunningService(env))("wrong API keys", (it) => {
  it.effect("are refused above the limit, and branches at the same address are served meanwhile", function* () {
    const { call, createService, logs } = yield* RunningService
    const shop = (yield* createService()).mainBranch
    const newcomer = (yield* createService()).mainBranch
    const shared = { "x-forwarded-for": "198.51.100.7" }
    const from = (key: string, headers: Readonly<Record<string, string>>) =>
      call("POST", "/v2/verify/bank", { key, headers, body: { payload: newSlip().payload } })
    assert.strictEqual((yield* from(shop.apiKey, shared)).status, 200)

    const answers: Array<{ readonly status: number; readonly code: string | undefined }> = []
    const attack = Effect.forEach(
      Array.from({ length: 6 * LIMIT }),
      () =>
        Effect.map(
          from(randomUUID(), shared),
          ({ error, status }) => answers.push({ status, code: error?.code })
        ),
      { concurrency: CONCURRENCY, discard: true }
    )
    const honest = Effect.forEach(Array.from({ length: 30 }), () => from(shop.apiKey, shared))
    const [verified] = yield* Effect.all([honest, attack], { concurrency: 2 })

    for (const { status, text } of verified) assert.strictEqual(status, 200, text)
    const looked = answers.filter(({ code, status }) => status === 401 && code === "INVALID_API_KEY").length
    assert.isAtLeast(looked, LIMIT)
    assert.isAtMost(looked, LIMIT + CONCURRENCY)
    const refused = answers.filter(({ code, status }) => status === 429 && code === "RATE_LIMIT_EXCEEDED").length
    assert.strictEqual(looked + refused, answers.length)
    assert.strictEqual(logs.filter((line) => line.includes("too many wrong API keys")).length, 1)

    const paused = yield* from(randomUUID(), shared)
    assertFailure(paused, 429, "RATE_LIMIT_EXCEEDED", MESSAGE)
    assert.isAtLeast(Number(paused.headers.get("retry-after")), 1)
    const v1 = yield* call("GET", "/v1/me", { key: "wrong", headers: shared })
    assertV1Failure(v1, 429, "rate_limit_exceeded")

    // A branch that this process has not served yet is served from every other address.
    assert.strictEqual((yield* from(newcomer.apiKey, shared)).status, 429)
    assert.strictEqual((yield* from(newcomer.apiKey, { "x-forwarded-for": "203.0.113.5" })).status, 200)
    assert.strictEqual((yield* from(newcomer.apiKey, shared)).status, 200)
    const { text } = yield* call("GET", "/metrics")
    assert.match(text, /^sliptrail_api_key_refusals_total\{[^}]*reason="paused"[^}]*\} [1-9]/mu)
  })
})
