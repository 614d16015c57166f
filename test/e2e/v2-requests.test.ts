import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import http from "node:http"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertEnvelope, assertFailure } from "./assert-answer.ts"
import { codeOf, GET_HEALTH, postHead, rawExchange } from "./raw-http.ts"
import { layerShop, Shop } from "./given-shop.ts"

layer.live(layerShop())("a request", (it) => {
  it.effect.each([
    "/",
    "/v2",
    "/v2/verify",
    "/v2/verify/bank/extra",
    "/v3/info",
    "/v2/%zz",
    "/v2/%00",
    "/admin/v1/services/%ff%fe",
    `/v2/${"a".repeat(4_000)}`,
    "/v2/../../etc/passwd",
    "/v2/health%2f..",
    "/%2e%2e/%2e%2e/etc/passwd"
  ])("to %s gets NOT_FOUND", function* (path) {
    const { baseUrl } = yield* RunningService
    const { answers } = yield* rawExchange(baseUrl, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.strictEqual(answers[0]?.status, 404)
    assert.strictEqual(
      answers[0]?.body,
      `{"success":false,"error":{"code":"NOT_FOUND","message":"Resource not found"}}`
    )
    assert.strictEqual(answers[0]?.headers["content-type"], "application/json")
    assert.match(answers[0]?.headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/u)
  })

  it.effect("with the wrong method gets NOT_FOUND", function* () {
    const { call } = yield* RunningService
    for (const method of ["PUT", "DELETE", "PATCH", "GET", "OPTIONS"]) {
      assertFailure(yield* call(method, "/v2/verify/bank"), 404, "NOT_FOUND", "Resource not found")
    }
    assertFailure(yield* call("POST", "/v2/info"), 404, "NOT_FOUND", "Resource not found")
  })

  it.effect("with HEAD gets the headers of GET and no body", function* () {
    const { call } = yield* RunningService
    for (const [path, status] of [["/v2/health", 200], ["/v2/info", 401], ["/v2/nothing", 404]] as const) {
      const answer = yield* call("HEAD", path)
      assert.deepStrictEqual([answer.status, answer.text], [status, ""])
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.isNotNull(answer.headers.get("x-request-id"))
    }
  })

  it.effect("can be pipelined on a connection; the answers keep the order of the requests", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const verify = (payload: string) => {
      const body = JSON.stringify({ payload })
      const headers = [`Content-Length: ${body.length}`, `X-Request-Id: ${payload.slice(-4)}`]
      return postHead("/v2/verify/bank", key, ...headers) + body
    }
    const slips = Array.from({ length: 5 }, () => newSlip().payload)
    const { answers } = yield* rawExchange(baseUrl, slips.map(verify).join("") + GET_HEALTH, 6)
    assert.deepStrictEqual(answers.map(({ status }) => status), Array(6).fill(200))
    assert.deepStrictEqual(
      answers.slice(0, 5).map(({ headers }) => headers["x-client-request-id"]),
      slips.map((slip) => slip.slice(-4))
    )
  })

  it.effect("is answered after many others on one connection", function* () {
    const { baseUrl } = yield* RunningService
    const { answers } = yield* rawExchange(baseUrl, GET_HEALTH.repeat(200), 200)
    assert.lengthOf(answers, 200)
  })

  it.effect("of HTTP/1.0 is answered and its connection closed", function* () {
    const { baseUrl } = yield* RunningService
    const { answers, closed } = yield* rawExchange(baseUrl, "GET /v2/health HTTP/1.0\r\n\r\n", 2)
    assert.deepStrictEqual([answers.length, answers[0]?.status, closed], [1, 200, true])
  })

  it.effect("that asks for a web socket gets an ordinary answer", function* () {
    const { baseUrl } = yield* RunningService
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    const { answers } = yield* rawExchange(
      baseUrl,
      `GET /v2/info HTTP/1.1\r\nHost: a\r\n${upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    )
    assert.deepStrictEqual(answers.map(codeOf), ["MISSING_API_KEY"])
  })

  const credentials = [
    ["Bearer KEY", 200],
    ["bearer KEY", 200],
    ["BEARER KEY", 200],
    ["Bearer  KEY", 200],
    ["Bearer KEY ", 200],
    ["Bearer UPPER", 200],
    ["Bearer", 401],
    ["Bearer KEY KEY", 401],
    ["Bearer KEY,", 401],
    ["BearerKEY", 401],
    ["KEY", 401],
    ["Basic KEY", 401],
    ["Token KEY", 401],
    [`Bearer "KEY"`, 401],
    ["", 401]
  ] as const
  for (const [credential, status] of credentials) {
    it.effect(`with the credential "${credential}" is answered ${status}`, function* () {
      const { key } = yield* Shop
      const { baseUrl } = yield* RunningService
      const value = credential.replaceAll("KEY", key).replaceAll("UPPER", key.toUpperCase())
      const { answers } = yield* rawExchange(
        baseUrl,
        `GET /v2/banks HTTP/1.1\r\nHost: a\r\nAuthorization: ${value}\r\n\r\n`
      )
      assert.deepStrictEqual(
        [answers[0]?.status, answers.map(codeOf)],
        [status, [status === 200 ? "" : "INVALID_API_KEY"]]
      )
    })
  }

  it.effect("with headers of many kilobytes is answered", function* () {
    const { call } = yield* RunningService
    const answer = yield* call("GET", "/v2/info", {
      headers: { authorization: `Bearer ${"a".repeat(8_000)}`, "x-forwarded-for": "1.1.1.1,".repeat(500) }
    })
    assertFailure(answer, 401, "INVALID_API_KEY", "The provided API key is invalid")
  })

  it.effect("that its client aborts causes no unexpected failure", function* () {
    const { key } = yield* Shop
    const { baseUrl, call, logs } = yield* RunningService
    yield* Effect.callback<void>((resume) => {
      const aborted = http.request(`${baseUrl}/v2/verify/bank`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": "1000" }
      })
      aborted.on("error", () => resume(Effect.void))
      aborted.write("{", () => aborted.destroy(new Error("gone")))
    })
    assertEnvelope(yield* call("GET", "/v2/health"))
    assert.deepStrictEqual(logs.filter((line) => line.includes("failed unexpectedly")), [])
  })
})
