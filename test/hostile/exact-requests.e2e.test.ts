import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { type RawAnswer, rawExchange } from "../e2e/raw-http.ts"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"

const send = Effect.fnUntraced(function* (method: string, path: string, ...headers: ReadonlyArray<string>) {
  const { baseUrl } = yield* RunningService
  const lines = [`${method} ${path} HTTP/1.1`, ...headers, "", ""]
  const { answers } = yield* rawExchange(baseUrl, lines.join("\r\n"))
  return answers[0] ?? assert.fail(`no answer to ${path}`)
})

const get = (path: string, ...headers: ReadonlyArray<string>) => send("GET", path, "Host: a", ...headers)

/** Other spellings of a path. */
const spellings = (path: string): ReadonlyArray<string> => {
  const last = path.at(-1) ?? ""
  return [
    path.toUpperCase(),
    `/${path}`,
    path.replace(/\/(?=[^/]+$)/u, "//"),
    `${path}/`,
    `${path}//`,
    `${path};a=b`,
    `${path};`,
    `${path.slice(0, -1)}%${last.charCodeAt(0).toString(16)}`,
    `${path.slice(0, -1)}%${last.charCodeAt(0).toString(16).toUpperCase()}`
  ]
}

const isV1 = ({ body }: RawAnswer) => body === `{"status":404,"message":"not_found"}`
const isV2 = ({ body }: RawAnswer) => body.startsWith(`{"success":false,"error":{"code":"NOT_FOUND"`)
const isPage = ({ body }: RawAnswer) => body.includes("Page not found")
/** Another spelling of the first part of a path is outside the pages. */
const isAny = (answer: RawAnswer) => isV2(answer) || isPage(answer)

const paths: ReadonlyArray<readonly [path: string, status: number, isNotFound: (answer: RawAnswer) => boolean]> = [
  ["/v2/health", 200, isV2],
  ["/v2/bank-accounts", 401, isV2],
  ["/v2/verify/bank/jobs/b6a1c2d3-0000-4000-8000-00000000000a", 401, isV2],
  ["/v1/me", 401, isV1],
  ["/api/v1/me", 401, isV1],
  ["/admin/v1/services", 401, isV2],
  ["/admin/v1/openapi.json", 200, isV2],
  ["/console/login", 200, isPage],
  ["/console/services", 303, isPage],
  ["/health/live", 200, isV2],
  ["/metrics", 200, isV2],
  ["/docs", 200, isAny],
  ["/docs/errors", 200, isPage],
  ["/admin/v1/docs", 200, isAny],
  ["/admin/v1/docs/errors", 200, isPage],
  ["/openapi.json", 200, isV2]
]

layer.live(layerRunningService())("a request", (it) => {
  it.effect.each(paths)("matches %s exactly", function* ([path, status, isNotFound]) {
    assert.strictEqual((yield* get(path)).status, status)
    assert.strictEqual((yield* get(`${path}?A=//;%41/`)).status, status)
    assert.strictEqual((yield* get(`http://a${path}`)).status, status)
    for (const spelling of spellings(path)) {
      const answer = yield* get(spelling)
      assert.strictEqual(answer.status, 404, `${spelling}: ${answer.body}`)
      assert.isTrue(isNotFound(answer), `${spelling}: ${answer.body}`)
    }
  })

  it.effect("opens the console at its root, and a path with encoded characters that need it", function* () {
    assert.strictEqual((yield* get("/console")).status, 303)
    assert.strictEqual((yield* get("/console/slips/004%3AABC")).status, 303)
  })

  it.effect("may have each of these headers once, in every namespace", function* () {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const key = `Authorization: Bearer ${mainBranch.apiKey}`
    const repeated = [
      [key, "authorization: Bearer another"],
      ["host: b"],
      [key, "Idempotency-Key: a", "IDEMPOTENCY-KEY: a"]
    ]
    for (const headers of repeated) {
      for (const path of ["/v2/info", "/v1/me", "/admin/v1/services", "/console/login", "/health/live", "/nowhere"]) {
        const answer = yield* get(path, ...headers)
        assert.strictEqual(answer.status, 400, `${path}: ${headers.join()}: ${answer.body}`)
      }
    }
    const { body } = yield* get("/v2/info", key, key)
    assert.include(body, `"issues":[{"path":"Authorization","message":"Send this header once"}]`)
    const lengths = yield* send("POST", "/v2/verify/bank", "Host: a", key, "Content-Length: 2", "Content-Length: 2")
    assert.strictEqual(lengths.status, 400)

    assert.strictEqual((yield* get("/v2/info", key, "X-A: 1", "X-A: 2")).status, 200)
    assert.strictEqual((yield* get("/admin/v1/services", `Authorization: Bearer ${ADMIN_TOKEN}`)).status, 200)
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 200)
  })
})
