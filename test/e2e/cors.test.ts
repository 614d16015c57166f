import { assert, describe, it, layer } from "../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { newSlip } from "../support/client.ts"
import { startSliptrail } from "../support/process.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { rawExchange } from "./raw-http.ts"

const SHOP = "https://shop.example"
const OTHER = "https://other.example"

const corsHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

const EXPOSED = "X-Request-Id, X-Client-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, "
  + "X-RateLimit-Reset, Idempotent-Replayed, X-Sandbox"

const preflight = Effect.fnUntraced(function* (path: string, origin: string = SHOP, headers: object = {}) {
  const { call } = yield* RunningService
  return yield* call("OPTIONS", path, {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
      ...headers
    }
  })
})

const MERCHANT_PATHS = ["/v2/verify/bank", "/v2/nothing", "/v2", "/v1/verify", "/v1/nothing", "/api/v1/verify"]
const OTHER_PATHS = [
  "/admin/v1/services",
  "/admin/v1/openapi.json",
  "/console",
  "/metrics",
  "/health/live",
  "/openapi.json",
  "/docs",
  "/",
  "/v20/verify/bank",
  "/v2.json",
  "/api/v2/info"
]

layer.live(layerRunningService({ CORS_ORIGINS: `${SHOP}, http://127.0.0.1:5173` }))(
  "a service with CORS_ORIGINS",
  (it) => {
    it.effect("answers a preflight of a listed origin, without a key", function* () {
      for (const path of MERCHANT_PATHS) {
        const { headers, status, text } = yield* preflight(path)
        assert.deepStrictEqual([status, text], [204, ""], path)
        assert.deepStrictEqual(corsHeaders(headers), {
          "access-control-allow-origin": SHOP,
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, X-Request-Id, traceparent",
          "access-control-max-age": "7200"
        })
        assert.strictEqual(headers.get("vary"), "Origin")
        assert.match(headers.get("x-request-id") ?? "", /^[\w-]{36}$/u)
      }
    })

    it.effect("lets pages of a listed origin read successes and failures", function* () {
      const { call, createService } = yield* RunningService
      const { mainBranch: { apiKey: key } } = yield* createService()
      const headers = { origin: SHOP }
      const answers = [
        yield* call("POST", "/v2/verify/bank", { key, headers, body: { payload: newSlip().payload } }),
        yield* call("GET", `/api/v1/verify?payload=${newSlip().payload}`, { key, headers }),
        yield* call("GET", "/v2/health", { headers }),
        yield* call("GET", "/v2/info", { headers }),
        yield* call("GET", "/v1/me", { key: "no-key", headers }),
        yield* call("POST", "/v2/verify/bank", { key, headers, body: "{" }),
        yield* call("POST", "/v2/verify/bank", { key, headers, body: `{"payload":"${"a".repeat(7_000_000)}"}` }),
        yield* call("GET", "/v2/nothing", { key, headers }),
        yield* call("GET", "/v1/verify/", { key, headers }),
        yield* call("OPTIONS", "/v2/info", { key, headers })
      ]
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 401, 401, 400, 400, 404, 404, 404])
      for (const { headers, text } of answers) {
        assert.deepStrictEqual(
          corsHeaders(headers),
          { "access-control-allow-origin": SHOP, "access-control-expose-headers": EXPOSED },
          text
        )
        assert.strictEqual(headers.get("vary"), "Origin")
      }
    })

    it.effect("serves others as before, without permission for their pages", function* () {
      const { call } = yield* RunningService
      const origins = [
        OTHER,
        "null",
        "http://shop.example",
        `${SHOP}.evil.example`,
        `${SHOP}, ${OTHER}`,
        `${SHOP}:444`
      ]
      for (const origin of origins) {
        for (const path of MERCHANT_PATHS) {
          const refused = yield* preflight(path, origin)
          assert.strictEqual(refused.status, 404, `${origin} ${path}`)
          assert.deepStrictEqual(corsHeaders(refused.headers), {})
          assert.strictEqual(refused.headers.get("vary"), "Origin")
        }
        const { headers, status } = yield* call("GET", "/v2/health", { headers: { origin } })
        assert.deepStrictEqual([status, corsHeaders(headers), headers.get("vary")], [200, {}, "Origin"])
      }
      const { headers, status } = yield* call("GET", "/v2/health")
      assert.deepStrictEqual([status, corsHeaders(headers), headers.get("vary")], [200, {}, "Origin"])
    })

    it.effect("gives no page access to what operators use", function* () {
      const { call } = yield* RunningService
      for (const path of OTHER_PATHS) {
        const asked = yield* preflight(path)
        assert.notStrictEqual(asked.status, 204, path)
        const read = yield* call("GET", path, { key: ADMIN_TOKEN, headers: { origin: SHOP } })
        assert.deepStrictEqual([corsHeaders(asked.headers), corsHeaders(read.headers)], [{}, {}], path)
      }
    })

    it.effect("answers a preflight whose path or headers are hostile", function* () {
      const { baseUrl } = yield* RunningService
      const send = (target: string, ...headers: ReadonlyArray<string>) =>
        rawExchange(
          baseUrl,
          [`OPTIONS ${target} HTTP/1.1`, "Host: x", `Origin: ${SHOP}`, ...headers, "Connection: close", "", ""].join(
            "\r\n"
          )
        )
      const ask = "Access-Control-Request-Method: POST"
      for (
        const target of ["/v2/../admin/v1/services", "/v2/%2e%2e/admin", "/v2//x", "http://evil.example/v2/info"]
      ) {
        const { answers } = yield* send(target, ask)
        assert.deepStrictEqual(answers.map(({ body, status }) => [status, body]), [[204, ""]], target)
      }
      for (const target of ["*", "//v2/info", "/V2/info", "/%762/info"]) {
        const { answers } = yield* send(target, ask)
        assert.deepStrictEqual(
          answers.map(({ headers }) => headers["access-control-allow-origin"]),
          [undefined],
          target
        )
      }
      const long = yield* send("/v2/info", ask, `Access-Control-Request-Headers: ${"a,".repeat(4_000)}`)
      assert.deepStrictEqual(long.answers.map(({ status }) => status), [204])
      assert.isBelow(long.answers[0]?.headers["access-control-allow-headers"]?.length ?? 0, 100, "nothing is echoed")
      const twice = yield* send("/v2/info", ask, `Origin: ${SHOP}`)
      assert.deepStrictEqual(twice.answers.map(({ status }) => status), [404])
    })
  }
)

layer.live(
  layerRunningService({ CORS_ORIGINS: "*", RATE_LIMIT: "1", RATE_LIMIT_BURST: "1", WRONG_KEYS_PER_MINUTE: "1" })
)("a service with CORS_ORIGINS=*", (it) => {
  it.effect("lets every page read its answers, those of limits and closing connections included", function* () {
    const { call, createService } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService()
    const headers = { origin: OTHER }
    yield* call("GET", "/v2/info", { key, headers })
    const limited = yield* call("GET", "/v2/info", { key, headers })
    assert.strictEqual(limited.status, 429)
    assert.isTrue(limited.headers.has("retry-after") && limited.headers.has("x-ratelimit-reset"))
    yield* call("GET", "/v2/info", { key: "0f8fad5b-d9cb-4f69-a165-70867728950e", headers })
    const paused = yield* call("GET", "/v2/info", { key: "0f8fad5b-d9cb-4f69-a165-70867728950f", headers })
    assert.deepStrictEqual([paused.status, paused.headers.get("connection")], [429, "close"])
    for (const answer of [limited, paused]) {
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual(answer.headers.get("access-control-expose-headers"), EXPOSED)
      assert.isFalse(answer.headers.has("access-control-allow-credentials"))
    }
  })

  it.effect("counts no preflight against a limit", function* () {
    const answers = yield* Effect.forEach(Array.from({ length: 50 }), () => preflight("/v2/verify/bank", OTHER), {
      concurrency: 10
    })
    assert.deepStrictEqual(answers.map(({ status }) => status), answers.map(() => 204))
  })
})

layer.live(layerRunningService())("a service without CORS_ORIGINS", (it) => {
  it.effect("answers as if there were no origins", function* () {
    const { call } = yield* RunningService
    const asked = yield* preflight("/v2/verify/bank")
    assert.deepStrictEqual([asked.status, asked.error?.code], [404, "NOT_FOUND"])
    const read = yield* call("GET", "/v2/health", { headers: { origin: SHOP } })
    for (const { headers } of [asked, read]) {
      assert.deepStrictEqual([corsHeaders(headers), headers.has("vary")], [{}, false])
    }
  })
})

describe("a service whose CORS_ORIGINS cannot be read", () => {
  it.live("does not start, and says what to write", function* () {
    const env = {
      DATA_DIR: join(yield* temporaryFolder, "data"),
      PORT: "0",
      CORS_ORIGINS: "https://shop.example/pay"
    }
    const child = startSliptrail(["serve"], { env })
    const { code, text } = yield* Effect.promise(() =>
      new Promise<{ readonly code: number | null; readonly text: string }>((resolve) => {
        let text = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream?.setEncoding("utf8").on("data", (part) => text += part)
        }
        child.once("close", (code) => resolve({ code, text }))
      })
    )
    assert.notStrictEqual(code, 0)
    assert.include(text, "CORS_ORIGINS")
    assert.include(text, "write https://shop.example")
  })
})
