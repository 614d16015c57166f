import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertV1Failure } from "./assert-answer.ts"
import { rawExchange } from "./raw-http.ts"
import { given } from "./situations.ts"

class Shop extends Context.Service<Shop, { readonly key: string }>()("test/Shop") {}

const layerShop = Layer.effect(Shop, Effect.map(given(), ({ key }) => Shop.of({ key }))).pipe(
  Layer.provideMerge(layerRunningService())
)

const post = Effect.fnUntraced(function* (body: unknown, contentType?: string) {
  const { call } = yield* RunningService
  const headers = contentType === undefined ? {} : { headers: { "content-type": contentType } }
  return yield* call("POST", "/v1/verify", { key: (yield* Shop).key, body, ...headers })
})

const send = Effect.fnUntraced(function* (method: string, path: string) {
  const { call } = yield* RunningService
  return yield* call(method, path, { key: (yield* Shop).key })
})

/** Sends a request with this request line. */
const raw = Effect.fnUntraced(function* (line: string) {
  const { baseUrl } = yield* RunningService
  const { key } = yield* Shop
  const { answers } = yield* rawExchange(baseUrl, `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return answers[0]
})

const form = (...fields: ReadonlyArray<readonly [string, string | Uint8Array<ArrayBuffer>]>): FormData => {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, typeof value === "string" ? value : new Blob([value]))
  return data
}

const URLENCODED = "application/x-www-form-urlencoded"

layer.live(layerShop)("a v1 request", (it) => {
  const invalid = [
    ["no source", {}],
    ["null for every source", { payload: null, data: null, image: null, url: null, file: null }],
    ["two sources", { payload: "a", url: "https://example.com/" }],
    ["a picture twice", { data: "aGk=", image: "aGk=" }],
    ["a payload that is a number", { payload: 5 }],
    ["a payload that is an array", { payload: ["a"] }],
    ["a payload that is an object", { payload: { text: "a" } }],
    ["a url that is not text", { url: true }],
    ["data that is not text", { data: 1 }],
    ["a file in JSON", { file: "aGk=" }],
    ["an array", []],
    ["null", null],
    ["text", '"payload"'],
    ["broken JSON", "{"],
    ["deeply nested JSON", `{"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["__proto__", `{"__proto__":{"payload":"a"}}`],
    ["a form without anything", form()],
    ["a form with a field twice", form(["payload", "a"], ["payload", "b"])],
    ["a form with two sources", form(["payload", "a"], ["file", new Uint8Array(3)])],
    ["a form with a file where text belongs", form(["payload", new Uint8Array(3)])],
    ["a form with text where a file belongs", form(["file", "a"])]
  ] as const
  for (const [title, body] of invalid) {
    it.effect(`is invalid with ${title}`, function* () {
      assertV1Failure(yield* post(body), 400, "invalid_request")
    })
  }

  it.effect.each(["text/html", "application/xml", "nonsense", "multipart/form-data"])(
    "is invalid with a body of type %o",
    function* (type) {
      assertV1Failure(yield* post(`{"payload":"a"}`, type), 400, "invalid_request")
    }
  )

  it.effect("is invalid with an encoded form without a source, or with a field twice", function* () {
    for (const body of ["", "payload=", "payload=a&payload=b", "%zz=%ff&&=", "{}"]) {
      assertV1Failure(yield* post(body, URLENCODED), 400, "invalid_request")
    }
    assertV1Failure(yield* post("payload=a", URLENCODED), 400, "invalid_payload")
  })

  it.effect("accepts only true and false, as languages write them, as checkDuplicate: no number in JSON", function* () {
    const { payload } = newSlip()
    const refused = ["yes", "on", "tRUE", " true", "1", "0", "2", "null", 1, 0, 2, -1, 1.5, null, [true], {}]
    for (const checkDuplicate of refused) {
      assertV1Failure(yield* post({ payload, checkDuplicate }), 400, "invalid_check_duplicate")
    }
    for (const value of ["yes", "on", "2", "01", "tRUE", "null", "true&checkDuplicate=true", "true,false", "%20"]) {
      const answer = yield* send("GET", `/v1/verify?payload=${payload}&checkDuplicate=${value}`)
      assertV1Failure(answer, 400, "invalid_check_duplicate")
    }
    for (const value of ["on", "2", " 1", "null"]) {
      const fields = new URLSearchParams({ payload, checkDuplicate: value }).toString()
      assertV1Failure(yield* post(fields, URLENCODED), 400, "invalid_check_duplicate")
      assertV1Failure(
        yield* post(form(["payload", payload], ["checkDuplicate", value])),
        400,
        "invalid_check_duplicate"
      )
    }
    assert.strictEqual((yield* post({ payload, checkDuplicate: true })).status, 200, "none of them was verified")

    for (const checkDuplicate of [true, "true", "True", "TRUE"]) {
      assertV1Failure(yield* post({ payload, checkDuplicate }), 400, "duplicate_slip")
    }
    for (const checkDuplicate of ["true", "True", "TRUE", "1"]) {
      const fields = `payload=${payload}&checkDuplicate=${checkDuplicate}`
      assertV1Failure(yield* send("GET", `/v1/verify?${fields}`), 400, "duplicate_slip")
      assertV1Failure(yield* post(fields, URLENCODED), 400, "duplicate_slip")
      assertV1Failure(
        yield* post(form(["payload", payload], ["checkDuplicate", checkDuplicate])),
        400,
        "duplicate_slip"
      )
    }
    for (const checkDuplicate of [false, "false", "False", "FALSE", "", undefined]) {
      assert.strictEqual((yield* post({ payload, checkDuplicate })).status, 200)
    }
    for (const checkDuplicate of ["false", "False", "FALSE", "0", ""]) {
      assert.strictEqual((yield* post(form(["payload", payload], ["checkDuplicate", checkDuplicate]))).status, 200)
      const fields = `payload=${payload}&checkDuplicate=${checkDuplicate}`
      assert.strictEqual((yield* send("GET", `/v1/verify?${fields}`)).status, 200)
      assert.strictEqual((yield* post(fields, URLENCODED)).status, 200)
    }
  })

  it.effect("requires exactly one payload in its query", function* () {
    for (const query of ["", "?", "?url=https://example.com/", "?payload=a&payload=b", "?Payload=a"]) {
      assertV1Failure(yield* send("GET", `/v1/verify${query}`), 400, "invalid_request")
    }
    assertV1Failure(yield* send("GET", "/v1/verify;payload=a"), 404, "not_found")
    for (const query of ["payload", "payload=", "payload=%00", "payload=%zz%ff", `payload=${"0".repeat(10_000)}`]) {
      assertV1Failure(yield* send("GET", `/v1/verify?${query}`), 400, "invalid_payload")
    }
  })

  it.effect("reports an invalid picture or URL", function* () {
    const long = `https://example.com/${"a".repeat(2048)}`
    for (const url of ["slip.png", "http://", "javascript:alert(1)", "http://0x7f.1/", "http://[::1]/", long]) {
      assertV1Failure(yield* post({ url }), 400, "invalid_url")
    }
    for (
      const data of ["http://", "file:///etc/passwd", "https://a:b@example.com/", "http://169.254.169.254/", long]
    ) {
      assertV1Failure(yield* post({ data }), 400, "invalid_url")
      assertV1Failure(yield* post({ image: data }), 400, "invalid_url")
    }
    for (const data of ["!!!", "aGVsbG8=", "data:image/png,abc", "data:"]) {
      assertV1Failure(yield* post({ data }), 400, "invalid_image")
    }
    for (const bytes of [new Uint8Array(0), new Uint8Array(3)]) {
      assertV1Failure(yield* post(form(["file", bytes])), 400, "invalid_image")
    }
  })

  it.effect("with a file of more than 4 MB or a body of more than 6 MiB gets image_size_too_large", function* () {
    assertV1Failure(yield* post(form(["file", new Uint8Array(4_194_305)])), 400, "image_size_too_large")
    const body = `{"payload":"${"a".repeat(6 * 1024 * 1024)}"}`
    assertV1Failure(yield* post(body), 400, "image_size_too_large")
  })

  it.effect("with an unknown path or method gets not_found in the format of v1", function* () {
    const paths = ["/v1", "/api/v1/", "/v1/nothing?a=b", "/v1/verify/bank", "/api/v1/banks", "/v1/%zz"]
    for (const path of paths) assertV1Failure(yield* send("GET", path), 404, "not_found")
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      for (const path of ["/v1/me", "/v1/verify", "/api/v1/verify"]) {
        assertV1Failure(yield* send(method, path), 404, "not_found")
      }
    }
    assertV1Failure(yield* send("POST", "/v1/me"), 404, "not_found")
  })

  it.effect("gets not_found in the format of its version for unusual spellings of the path", function* () {
    const answers = [
      ["//v1//nothing", "not_found"],
      ["/V1/nothing", "not_found"],
      ["/v1;a/b", "not_found"],
      ["http://a/api/v1/nothing", "not_found"],
      ["/v10/me", "Resource not found"],
      ["/api/v2/info", "Resource not found"],
      ["/api", "Resource not found"]
    ] as const
    for (const [path, message] of answers) {
      const answer = yield* raw(`GET ${path}`)
      assert.strictEqual(answer?.status, 404, path)
      assert.include(answer?.body, `"message":"${message}"`, path)
    }
  })

  it.effect("with an invalid origin is answered by its path", function* () {
    const { logs } = yield* RunningService
    for (const origin of ["http://[", "http://a:99999", "http://%zz"]) {
      assert.strictEqual(
        (yield* raw(`GET ${origin}/v1/verify?payload=a`))?.body,
        `{"status":400,"message":"invalid_payload"}`
      )
    }
    assert.deepStrictEqual(logs.filter((line) => line.includes("failed unexpectedly")), [])
  })

  it.effect("with HEAD gets the headers of GET, but never verifies", function* () {
    const { payload } = newSlip()
    const me = yield* send("HEAD", "/v1/me")
    assert.deepStrictEqual([me.status, me.text, me.headers.get("content-type")], [200, "", "application/json"])
    assert.strictEqual((yield* send("HEAD", `/v1/verify?payload=${payload}`)).status, 404)
    const first = yield* send("GET", `/v1/verify?payload=${payload}&checkDuplicate=true`)
    assert.strictEqual(first.status, 200, first.text)
  })
})
