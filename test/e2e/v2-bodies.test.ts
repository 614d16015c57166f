import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertInvalid } from "./assert-answer.ts"
import { codeOf, GET_HEALTH, postHead, rawExchange } from "./raw-http.ts"
import { layerShop, Shop } from "./given-shop.ts"

const MiB = 1024 * 1024
const LIMIT = 6 * MiB

const head = (key: string, ...headers: ReadonlyArray<string>) => postHead("/v2/verify/bank", key, ...headers)

const chunks = (
  ...sizes: ReadonlyArray<number>
): ReadonlyArray<string> => [...sizes.map((size) => `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`), "0\r\n\r\n"]

layer.live(layerShop())("a body", (it) => {
  const post = Effect.fnUntraced(function* (body: string, contentType?: string) {
    const { call } = yield* RunningService
    const headers = contentType === undefined ? {} : { headers: { "content-type": contentType } }
    return yield* call("POST", "/v2/verify/bank", { key: (yield* Shop).key, body, ...headers })
  })

  const notObjects = [
    "",
    "{",
    "[]",
    "[{}]",
    "null",
    "1",
    `"payload"`,
    "{'payload':'a'}",
    `{"payload":"a"} {}`,
    "undefined"
  ]
  for (const body of notObjects) {
    it.effect(`that is not a JSON object is invalid as a whole: ${JSON.stringify(body)}`, function* () {
      assertInvalid(yield* post(body), "")
    })
  }

  it.effect("with a million nested arrays is invalid", function* () {
    assertInvalid(yield* post(`{"payload":${"[".repeat(1_000_000)}`), "")
    assertInvalid(yield* post(`{"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), "")
    assertInvalid(yield* post(`{"payload":${"[".repeat(31)}${"]".repeat(31)}}`), "payload")
  })

  it.effect("may contain __proto__ without effect", function* () {
    assertInvalid(yield* post(`{"__proto__":{"payload":"a"}}`), "")
  })

  it.effect.each([
    "application/octet-stream",
    "application/x-www-form-encoded",
    "application/xml",
    "nonsense",
    "text/jsonp"
  ])("of type %s is invalid", function* (type) {
    assertInvalid(yield* post(`{"payload":"a"}`, type), "")
  })

  it.effect.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"])(
    "of type %o is JSON",
    function* (type) {
      assert.strictEqual((yield* post(JSON.stringify({ payload: newSlip().payload }), type)).status, 200)
    }
  )

  it.effect("of 6 MiB is accepted, one byte more is too large; the connection serves the next request", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const fits = `{"payload":"${"a".repeat(LIMIT - 14)}"}`
    const read = yield* rawExchange(baseUrl, [head(key, `Content-Length: ${LIMIT}`), fits, GET_HEALTH], 2)
    assert.deepStrictEqual(read.answers.map(codeOf), ["VALIDATION_ERROR", ""])

    const larger = yield* rawExchange(baseUrl, [head(key, `Content-Length: ${LIMIT + 1}`), `${fits} `, GET_HEALTH], 2)
    assert.deepStrictEqual(larger.answers.map(({ status }) => status), [400, 200])
    assert.deepStrictEqual(larger.answers.map(codeOf), ["IMAGE_SIZE_TOO_LARGE", ""])
  })

  it.effect("in chunks has the same limit; the connection serves the next request", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const start = head(key, "Transfer-Encoding: chunked")
    const read = yield* rawExchange(baseUrl, [start, ...chunks(MiB, 5 * MiB), GET_HEALTH], 2)
    assert.deepStrictEqual(read.answers.map(codeOf), ["VALIDATION_ERROR", ""])

    const larger = yield* rawExchange(baseUrl, [start, ...chunks(MiB, 5 * MiB, 1, MiB), GET_HEALTH], 2)
    assert.deepStrictEqual(larger.answers.map(({ status }) => status), [400, 200])
    assert.deepStrictEqual(larger.answers.map(codeOf), ["IMAGE_SIZE_TOO_LARGE", ""])
  })

  it.effect("far above the limit is answered, and its connection is closed", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const announced = yield* rawExchange(baseUrl, [head(key, "Content-Length: 1099511627776"), "a".repeat(MiB)])
    assert.deepStrictEqual(announced.answers.map(codeOf), ["IMAGE_SIZE_TOO_LARGE"])
    const endless = yield* rawExchange(baseUrl, [
      head(key, "Transfer-Encoding: chunked"),
      ...chunks(...Array<number>(40).fill(MiB)).slice(0, -1)
    ])
    assert.deepStrictEqual(endless.answers.map(codeOf), ["IMAGE_SIZE_TOO_LARGE"])
  })

  it.effect("that is not read does not prevent the answer to a wrong key", function* () {
    const { baseUrl } = yield* RunningService
    const { answers } = yield* rawExchange(baseUrl, [
      head("no-key", `Content-Length: ${5 * MiB}`),
      "a".repeat(5 * MiB),
      GET_HEALTH
    ], 2)
    assert.deepStrictEqual(answers.map(codeOf), ["INVALID_API_KEY", ""])
  })

  it.effect("that ends with a broken connection is not counted as an unexpected failure", function* () {
    const { key } = yield* Shop
    const { baseUrl, call, verify } = yield* RunningService
    const unexpectedFailures = Effect.map(
      call("GET", "/metrics"),
      ({ text }) => /^sliptrail_http_unforeseen_total (\d+)$/mu.exec(text)?.[1]
    )
    const before = yield* unexpectedFailures
    assert.isDefined(before)
    // The answer to the first request shows that the incomplete second one has arrived too.
    for (const length of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
      const half = [GET_HEALTH, head(key, length), "14\r\n"]
      assert.lengthOf((yield* rawExchange(baseUrl, half, 1)).answers, 1)
    }
    assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    assert.strictEqual(yield* unexpectedFailures, before)
  })

  it.effect("is accepted from a client that offers to upgrade the protocol", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const body = JSON.stringify({ payload: newSlip().payload })
    const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAA"]
    const { answers } = yield* rawExchange(baseUrl, [head(key, ...offer, `Content-Length: ${body.length}`), body])
    assert.deepStrictEqual(answers.map(({ status }) => status), [200])
  })

  it.effect("is requested with 100 Continue when the client waits for it", function* () {
    const { key } = yield* Shop
    const { baseUrl } = yield* RunningService
    const body = JSON.stringify({ payload: newSlip().payload })
    const wanted = head(key, "Expect: 100-continue", `Content-Length: ${body.length}`)
    const { answers } = yield* rawExchange(baseUrl, [wanted, body], 2)
    assert.deepStrictEqual(answers.map(({ status }) => status), [100, 200])
  })
})
