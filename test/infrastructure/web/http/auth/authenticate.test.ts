import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Option } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { type Caller, CallerRefused, Callers } from "../../../../../application/provisioning/callers.ts"
import type { KeyLimits } from "../../../../../domain/api-key.ts"
import type { RequiredScopes } from "../../../../../infrastructure/web/api/operation.ts"
import { identify, WrongKeyLimiter } from "../../../../../infrastructure/web/http/auth/authenticate.ts"
import { makeFailureLimiter } from "../../../../../infrastructure/web/http/auth/failure-limiter.ts"
import { RateLimiter } from "../../../../../ports/rate-limiter.ts"
import { callerOf } from "../../../../application/given-verifier.ts"

const caller = callerOf()

const LIMIT = 3
const RIGHT = "right"

/** Sends a key from an address. Returns "served", or the code and the seconds to wait. Counts the lookups of keys. */
const given = Effect.sync(() => {
  const known = new Set<string>()
  const seen = { lookups: 0 }
  const callers = Layer.mock(Callers, {
    isKnown: (key) => known.has(key),
    authenticate: (key) =>
      Effect.suspend(() => {
        seen.lookups++
        if (key !== RIGHT) return Effect.fail(new CallerRefused({ reason: "unknown-key" }))
        known.add(key)
        return Effect.succeed(caller)
      })
  })
  const context = Layer.mergeAll(
    callers,
    Layer.mock(RateLimiter, { take: () => Effect.undefined }),
    Layer.succeed(WrongKeyLimiter, makeFailureLimiter(LIMIT))
  )
  const answerHeaders: Record<string, string> = {}
  const send = (key: string, address = "192.0.2.1") => {
    const headers = Headers.fromInput({ authorization: `Bearer ${key}` })
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/")).modify({
      remoteAddress: Option.some(address)
    })
    return identify({
      request,
      headers,
      requestId: "r",
      clientRequestId: undefined,
      params: {},
      bodyBytes: 0,
      answerHeaders
    }, "every-key").pipe(
      Effect.as("served" as const),
      Effect.catch((error) =>
        Effect.succeed(error._tag === "ApiError" ? [error.code, error.retryAfterSeconds] : error._tag)
      ),
      Effect.provide(context)
    )
  }
  return { answerHeaders, seen, send }
})

const PAUSED = (seconds: number) => ["RATE_LIMIT_EXCEEDED" as const, seconds]

describe("wrong API keys of one address", () => {
  it.effect("are refused for a minute above the limit, without a lookup", function* () {
    const { answerHeaders, seen, send } = yield* given
    for (let count = 0; count < LIMIT; count++) assert.strictEqual(yield* send("wrong"), "CallerRefused")
    assert.isUndefined(answerHeaders["connection"])
    assert.deepStrictEqual(yield* send("wrong"), PAUSED(60))
    assert.strictEqual(answerHeaders["connection"], "close")
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual(yield* send("another"), PAUSED(1))
    assert.strictEqual(seen.lookups, LIMIT)

    yield* TestClock.adjust("1 seconds")
    assert.strictEqual(yield* send("wrong"), "CallerRefused")
  })

  it.effect("are counted within a minute, and for each address", function* () {
    const { send } = yield* given
    for (let count = 1; count < LIMIT; count++) yield* send("wrong")
    yield* TestClock.adjust("1 minute")
    for (let count = 1; count < LIMIT; count++) assert.strictEqual(yield* send("wrong"), "CallerRefused")
    assert.strictEqual(yield* send("wrong", "192.0.2.2"), "CallerRefused")
    yield* send("wrong")
    assert.deepStrictEqual(yield* send("wrong"), PAUSED(60))
    assert.strictEqual(yield* send("wrong", "192.0.2.2"), "CallerRefused")
  })

  it.effect("do not affect a key that the process knows, and are not forgiven by it", function* () {
    const { send } = yield* given
    assert.strictEqual(yield* send(RIGHT), "served")
    for (let count = 0; count < LIMIT; count++) {
      yield* send("wrong")
      assert.strictEqual(yield* send(RIGHT), "served")
    }
    assert.deepStrictEqual(yield* send("wrong"), PAUSED(60))
    assert.strictEqual(yield* send(RIGHT), "served")
  })

  it.effect("pause a right key of the same address until the process knows it", function* () {
    const { send } = yield* given
    for (let count = 0; count < LIMIT; count++) yield* send("wrong")
    assert.deepStrictEqual(yield* send(RIGHT), PAUSED(60))
    assert.strictEqual(yield* send(RIGHT, "192.0.2.2"), "served")
    assert.strictEqual(yield* send(RIGHT), "served")
  })
})

/** Sends a request with a key that has these limits. Returns "served" or the code. */
const sendWith = (
  limits: Partial<KeyLimits>,
  { address = "192.0.2.1", ipWhitelist = ["*"], isAdmitted = true, scopes = ["configure"] }: {
    readonly address?: string
    readonly ipWhitelist?: ReadonlyArray<string>
    readonly isAdmitted?: boolean
    readonly scopes?: RequiredScopes
  } = {}
) => {
  const withLimits: Caller = { ...caller, branch: { ...caller.branch, ipWhitelist }, key: { ...caller.key, ...limits } }
  const status = { isAdmitted, limit: 1, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 }
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/")).modify({
    remoteAddress: Option.some(address)
  })
  const headers = Headers.fromInput({ authorization: `Bearer ${RIGHT}` })
  const exchange = { request, headers, requestId: "r", clientRequestId: undefined, params: {}, bodyBytes: 0 }
  return identify({ ...exchange, answerHeaders: {} }, scopes).pipe(
    Effect.as("served"),
    Effect.catch((error) => Effect.succeed(error._tag === "ApiError" ? error.code : error._tag)),
    Effect.provide(Layer.mergeAll(
      Layer.mock(Callers, { isKnown: () => true, authenticate: () => Effect.succeed(withLimits) }),
      Layer.mock(RateLimiter, { take: () => Effect.succeed(status) })
    ))
  )
}

describe("a key with limits", () => {
  it.effect("serves with any of the scopes that the operation needs, or when it needs none", function* () {
    assert.strictEqual(yield* sendWith({ scopes: ["verify"] }), "SCOPE_MISSING")
    assert.strictEqual(yield* sendWith({ scopes: ["verify"] }, { scopes: "every-key" }), "served")
    assert.strictEqual(yield* sendWith({ scopes: ["verify"] }, { scopes: ["verify", "read"] }), "served")
    assert.strictEqual(yield* sendWith({ scopes: ["read", "configure"] }), "served")
  })

  it.effect("is refused for its address first, then for the rate, then for its scopes", function* () {
    const limits = { scopes: ["verify"], networks: ["203.0.113.0/24"] } as const
    assert.strictEqual(yield* sendWith(limits, { isAdmitted: false }), "IP_NOT_ALLOWED")
    const near = { address: "203.0.113.7" }
    assert.strictEqual(yield* sendWith(limits, { ...near, isAdmitted: false }), "RATE_LIMIT_EXCEEDED")
    assert.strictEqual(yield* sendWith(limits, near), "SCOPE_MISSING")
    assert.strictEqual(yield* sendWith(limits, { ...near, scopes: ["verify"] }), "served")
  })

  it.effect("needs an address of both its networks and the branch's whitelist", function* () {
    const networks = ["203.0.113.0/24", "2001:db8:0:0:0:0:0:0/32"]
    const send = (address: string, ipWhitelist: ReadonlyArray<string>) =>
      sendWith({ networks }, { address, ipWhitelist })
    assert.strictEqual(yield* send("203.0.113.7", ["203.0.113.7"]), "served")
    assert.strictEqual(yield* send("203.0.113.8", ["203.0.113.7"]), "IP_NOT_ALLOWED")
    assert.strictEqual(yield* send("198.51.100.1", ["198.51.100.1"]), "IP_NOT_ALLOWED")
    assert.strictEqual(yield* send("::ffff:203.0.113.7", ["*"]), "served")
    assert.strictEqual(yield* send("2001:db8:1::1", ["*"]), "served")
    assert.strictEqual(yield* send("2001:db9::1", ["*"]), "IP_NOT_ALLOWED")
  })
})
