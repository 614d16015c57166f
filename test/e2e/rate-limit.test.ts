import { assert, describe, it, layer } from "../support/it.ts"
import { Effect, Layer } from "effect"
import { type Answer, newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { startRedisServer } from "../support/redis-server.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid, assertV1Failure } from "./assert-answer.ts"
import { type Given, given, operate } from "./situations.ts"

type Own = Given & { readonly key: string }

const BURST = 4
const env = { RATE_LIMIT: "1", RATE_LIMIT_BURST: String(BURST) }

const limitHeaders = ({ headers }: Answer) =>
  ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) => headers.get(name))

const NO_LIMIT_HEADERS = [null, null, null, null]

const getInfo = ({ call, key }: Own) => call("GET", "/v2/info", { key })

/** Sends `requests` requests in parallel. Returns the answers. */
const inParallel = <E, R>(requests: number, request: Effect.Effect<Answer, E, R>) =>
  Effect.forEach(Array.from({ length: requests }), () => request, { concurrency: "unbounded" })

/** Repeats a request until it is rejected. This ends because the limit refills only one token per second. */
const untilRefused = <Data, E, R>(request: Effect.Effect<Answer<Data>, E, R>) =>
  eventually(request, ({ status }) => status === 429)

const untilAdmitted = <Data, E, R>(request: Effect.Effect<Answer<Data>, E, R>) =>
  eventually(request, ({ status }) => status !== 429)

layer.live(layerRunningService(env))("the rate limit", (it) => {
  it.effect("is reported with successful answers", function* () {
    const own = yield* given()
    const answer = yield* getInfo(own)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(limitHeaders(answer), ["4", "3", "1", null])
  })

  it.effect("is reported with validation errors", function* () {
    const { call, key } = yield* given()
    const answer = yield* call("POST", "/v2/verify/bank", { key, body: {} })
    assertInvalid(answer, "")
    assert.deepStrictEqual(limitHeaders(answer), ["4", "3", "1", null])
  })

  it.effect("admits the burst immediately, and then one request per second", function* () {
    const own = yield* given()
    const started = performance.now()
    const answers = yield* inParallel(40, getInfo(own))
    const seconds = Math.ceil((performance.now() - started) / 1_000)

    const admitted = answers.filter(({ status }) => status === 200).length
    assert.isAtLeast(admitted, BURST)
    assert.isAtMost(admitted, BURST + seconds)
    yield* untilAdmitted(getInfo(own))
  })

  it.effect("rejects requests beyond the limit, with Retry-After", function* () {
    const refused = yield* untilRefused(getInfo(yield* given()))
    assertFailure(refused, 429, "RATE_LIMIT_EXCEEDED", "Too many requests")
    assert.deepStrictEqual(limitHeaders(refused), ["4", "0", "4", "1"])
  })

  it.effect("counts a large body that is refused for its structure as twenty requests", function* () {
    const { call, key } = yield* given()
    const body = `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":null`).join(",")}}`
    assertInvalid(yield* call("POST", "/v2/verify/bank", { key, body }), "")
    const refused = yield* call("POST", "/v2/verify/bank", { key, body })
    assertFailure(refused, 429, "RATE_LIMIT_EXCEEDED", "Too many requests")
    assert.isAtLeast(Number(refused.headers.get("retry-after")), 10)
  })

  it.effect("counts a page of a list as a request for each 20 of its limit, and usage as one for each 10 days", function* () {
    const remaining = [
      ["/v2/verifications?limit=20", "3"],
      ["/v2/verifications?limit=41", "1"],
      ["/v2/verifications", "1"],
      ["/v2/jobs?limit=21", "2"],
      ["/v2/webhook/deliveries?limit=21", "2"],
      ["/v2/bank-accounts?limit=21", "2"],
      ["/v2/usage?from=2026-11-01&to=2026-11-10", "3"],
      ["/v2/usage", "1"]
    ] as const
    for (const [path, expected] of remaining) {
      const { call, key } = yield* given()
      const answer = yield* call("GET", path, { key })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.headers.get("x-ratelimit-remaining"), expected, path)
    }
  })

  it.effect("refuses a branch that owes tokens for an expensive read, until they are back", function* () {
    for (const path of ["/v2/verifications?limit=500", "/v2/usage?from=2026-09-01&to=2026-12-01"]) {
      const { call, key } = yield* given()
      const admitted = yield* call("GET", path, { key })
      assert.strictEqual(admitted.status, 200, admitted.text)
      assert.strictEqual(admitted.headers.get("x-ratelimit-remaining"), "0")
      const refused = yield* call("GET", path, { key })
      assertFailure(refused, 429, "RATE_LIMIT_EXCEEDED", "Too many requests")
    }
  })

  it.effect("is shared by v1 and v2, each with its own error format", function* () {
    const { call, key, ...own } = yield* given()
    yield* untilRefused(getInfo({ call, key, ...own }))
    const refused = yield* untilRefused(call("GET", "/v1/me", { key }))
    assertV1Failure(refused, 429, "rate_limit_exceeded")
    assert.deepStrictEqual(limitHeaders(refused), ["4", "0", "4", "1"])
  })

  it.effect("is separate for each branch, even within a service", function* () {
    const own = yield* given()
    const sub = yield* own.createBranch(own.serviceId)
    const other = yield* given()
    yield* untilRefused(getInfo(own))

    for (const key of [sub.apiKey, other.key]) {
      const answer = yield* getInfo({ ...own, key })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(limitHeaders(answer), ["4", "3", "1", null])
    }
  })

  it.effect("is checked before the body", function* () {
    const { call, key } = yield* given()
    const answers = yield* inParallel(20, call("POST", "/v2/verify/bank", { key, body: "{" }))
    const codes = new Set(answers.flatMap(({ error }) => error?.code ?? []))
    assert.deepStrictEqual([...codes].toSorted(), ["RATE_LIMIT_EXCEEDED", "VALIDATION_ERROR"])
  })

  it.effect("is checked after the caller's address, whose rejection takes no token", function* () {
    const own = yield* given()
    yield* operate.listAnotherAddress(own)
    for (const answer of yield* inParallel(20, getInfo(own))) {
      assertFailure(answer, 403, "IP_NOT_ALLOWED", answer.error?.message ?? "")
      assert.deepStrictEqual(limitHeaders(answer), NO_LIMIT_HEADERS)
    }
    yield* own.admin("PATCH", `/branches/${own.branchId}`, { ipWhitelist: ["*"] })
    const admitted = yield* eventually(getInfo(own), ({ status }) => status === 200)
    assert.deepStrictEqual(limitHeaders(admitted), ["4", "3", "1", null])
  })

  it.effect("is not reported to unknown callers, and does not apply to health", function* () {
    const { call } = yield* RunningService
    for (const key of [undefined, "0f8fad5b-d9cb-4f69-a165-70867728950e"]) {
      for (const answer of yield* inParallel(10, call("GET", "/v2/info", { key }))) {
        assert.strictEqual(answer.status, 401, answer.text)
        assert.deepStrictEqual(limitHeaders(answer), NO_LIMIT_HEADERS)
      }
    }
    for (const answer of yield* inParallel(10, call("GET", "/v2/health"))) {
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(limitHeaders(answer), NO_LIMIT_HEADERS)
    }
  })

  it.effect("does not verify the slip of a rejected request", function* () {
    const { key, verify } = yield* given()
    const verifyNew = Effect.suspend(() => {
      const { payload } = newSlip()
      return Effect.map(verify(key, payload), ({ status }) => ({ payload, status }))
    })
    const { payload } = yield* eventually(verifyNew, ({ status }) => status === 429)

    const answer = yield* untilAdmitted(verify(key, payload))
    assert.strictEqual(answer.status, 200, answer.text)
    assert.isFalse(answer.data.isDuplicate)
  })
})

layer.live(layerRunningService({ RATE_LIMIT: "0", RATE_LIMIT_BURST: "0" }))("no rate limit", (it) => {
  it.effect("rejects no request and sends no headers", function* () {
    const own = yield* given()
    for (const answer of yield* inParallel(150, getInfo(own))) {
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(limitHeaders(answer), NO_LIMIT_HEADERS)
    }
  })
})

describe("a rate limit that rejects every request", () => {
  it.live("is rejected at start, with a valid value in the message", function* () {
    const service = layerRunningService({ RATE_LIMIT: "10", RATE_LIMIT_BURST: "0" })
    const refused = yield* Effect.flip(Effect.scoped(Layer.build(service)))
    assert.include(String(refused), "RATE_LIMIT_BURST: 0 would refuse every request")
  })
})

describe("the rate limit on Redis", () => {
  it.live("works over the process's only Redis connection", function* () {
    const redis = yield* startRedisServer()
    yield* Effect.gen(function* () {
      const own = yield* given()
      const refused = yield* untilRefused(getInfo(own))
      assert.deepStrictEqual(limitHeaders(refused), ["4", "0", "4", "1"])
      assert.strictEqual(yield* redis.command("EXISTS", `sliptrail:{${own.branchId}}:rate`), 1)

      const clients = String(yield* redis.command("CLIENT", "LIST"))
      assert.lengthOf(clients.match(/ name=sliptrail /gu) ?? [], 1)
    }).pipe(Effect.provide(layerRunningService({ ...env, REDIS_URL: redis.url, ALLOW_SANDBOX: "true" })))
  })

  it.live("rejects no request while Redis hangs", function* () {
    const redis = yield* startRedisServer()
    yield* Effect.gen(function* () {
      const own = yield* given()
      yield* untilRefused(getInfo(own))

      yield* redis.pause
      const answers = yield* inParallel(20, own.call("POST", "/v2/verify/bank", { key: own.key, body: "{" }))
      yield* redis.resume
      for (const answer of answers) {
        // If the caller had to be read from Redis, the request fails before the limit is checked.
        assert.include(["VALIDATION_ERROR", "API_SERVER_ERROR"], answer.error?.code)
        assert.deepStrictEqual(limitHeaders(answer).slice(0, 3), [null, null, null])
      }
      yield* untilRefused(getInfo(own))
    }).pipe(Effect.provide(layerRunningService({ ...env, REDIS_URL: redis.url, ALLOW_SANDBOX: "true" })))
  })
})
