import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { newSlip } from "../support/client.ts"
import { numbersFrom, pick, type Random, text } from "../support/random.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { rawExchange } from "./raw-http.ts"

class Shop extends Context.Service<Shop, { readonly key: string; readonly jpeg: Uint8Array }>()("test/Shop") {}

const layerShop = Layer.effect(
  Shop,
  Effect.gen(function* () {
    const { createService } = yield* RunningService
    const jpeg = yield* drawSandboxSlip(newSlip(), { format: "jpeg" })
    return Shop.of({ key: (yield* createService()).mainBranch.apiKey, jpeg })
  })
).pipe(Layer.provideMerge(layerRunningService()))

const PATH = "abcdefz0189-._~!$&'()*+,;=:@%/?#[]\\|^\"<>{}"
const PATHS = [
  "/v2/verify/bank",
  "/v2/decode",
  "/v2/info",
  "/v2/banks",
  "/v1/me",
  "/v1/verify",
  "/api/v1/verify",
  "/admin/v1/services",
  "/admin/v1/branches/x",
  "/",
  "/health/ready"
]
const HEADERS = [
  "content-type",
  "x-request-id",
  "x-forwarded-for",
  "accept",
  "idempotency-key",
  "cookie",
  "content-encoding",
  "range"
]
const VALUES = [
  "application/json",
  "multipart/form-data; boundary=a",
  "gzip",
  "*/*",
  "bytes=0-1",
  "a".repeat(300),
  "1.2.3.4, ::1"
]
const JSON_PARTS = [
  ..."{}[]:,",
  ...["payload", "image", "url", "matchAmount", "remark", "bankCode", "004", "__proto__"].map((name) => `"${name}"`),
  "null",
  "true",
  "-1e9",
  "1e999",
  `"data:image/png;base64,iVBORw0KGgo="`,
  `"http://0/"`,
  `"\\ud800"`,
  `"\\u0000"`
]

/** A random request that is well-formed HTTP. */
const request = (random: Random, key: string): string => {
  const method = pick(random, ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], "GET")
  const path = random() < 0.7 ? pick(random, PATHS, "/") : `/${text(random, PATH, 80)}`
  const query = random() < 0.3 ? `?${text(random, PATH, 60)}` : ""
  const authorization = pick(random, [`Bearer ${key}`, `Bearer ${text(random, PATH, 40)}`, "Basic a", ""], "")
  const headers = Array.from(
    { length: Math.floor(random() * 4) },
    () => `${pick(random, HEADERS, "a")}: ${random() < 0.5 ? pick(random, VALUES, "") : text(random, PATH, 100)}`
  )
  const body = random() < 0.5
    ? Array.from({ length: Math.floor(random() * 12) }, () => pick(random, JSON_PARTS, "")).join("")
    : text(random, `${PATH}\u0000\u00ff\r\n`, 300)
  const lines = [`${method} ${path}${query} HTTP/1.1`, "Host: a", `Authorization: ${authorization}`, ...headers]
  return [...lines, `Content-Length: ${body.length}`, "Connection: close", "", body].join("\r\n")
}

const V1_BODY = /^\{"status":\d{3},"(data|message)":/u
const V2_BODY = /^\{"success":(true|false),/u

const SEED = 20_261_121

layer.live(layerShop)("random input", (it) => {
  it.effect("is answered with the envelope and without a server error", function* () {
    const { key } = yield* Shop
    const { baseUrl, logs } = yield* RunningService
    const random = numbersFrom(SEED)
    for (let count = 0; count < 400; count++) {
      const sent = request(random, key)
      const { answers } = yield* rawExchange(baseUrl, sent)
      const [answer] = answers
      const shown = `${count}: ${JSON.stringify(sent.slice(0, 400))} → ${JSON.stringify(answer)}`
      assert.isDefined(answer, shown)
      assert.isBelow(answer?.status ?? 0, 500, shown)
      assert.match(answer?.headers["x-request-id"] ?? "", /^[\w.:-]{1,64}$/u, shown)
      assert.strictEqual(answer?.headers["content-type"], "application/json", shown)
      assert.match(answer?.body ?? "", /^\w+ (\/api)?\/v1\//u.test(sent) ? V1_BODY : V2_BODY, shown)
    }
    assert.deepStrictEqual(logs.filter((line) => line.includes("failed unexpectedly")), [])
  })

  it.effect("in damaged pictures is answered with 200, 400 or 404", function* () {
    const { jpeg, key } = yield* Shop
    const { verify } = yield* RunningService
    const random = numbersFrom(SEED)
    const known = [200, 400, 404]
    // Few pictures, because searching a damaged QR code is slow.
    for (let count = 0; count < 12; count++) {
      const damaged = Buffer.from(jpeg).subarray(0, random() < 0.3 ? Math.floor(random() * jpeg.length) : jpeg.length)
      for (let hits = 0; hits < 1 + random() * 20; hits++) {
        // Half of the hits damage the headers.
        const within = Math.min(damaged.length, random() < 0.5 ? 700 : Infinity)
        damaged[Math.floor(random() * within)] = Math.floor(random() * 256)
      }
      const { status, text } = yield* verify(key, { image: damaged.toString("base64") })
      assert.include(known, status, `${count}: ${text}`)
    }
  })

  it.effect("in damaged forms is answered as a validation or image error", function* () {
    const { key } = yield* Shop
    const { call } = yield* RunningService
    const random = numbersFrom(SEED)
    const form = [
      "------a1b2c3",
      `Content-Disposition: form-data; name="image"; filename="a.png"`,
      "Content-Type: image/png",
      "",
      "abc",
      "------a1b2c3",
      `Content-Disposition: form-data; name="remark"`,
      "",
      "hello",
      "------a1b2c3--",
      ""
    ].join("\r\n")
    for (let count = 0; count < 150; count++) {
      const damaged = [...form]
      for (let hits = 0; hits < 1 + random() * 4; hits++) {
        damaged.splice(
          Math.floor(random() * damaged.length),
          Math.floor(random() * 3),
          text(random, `${PATH}\r\n-"=;`, 3)
        )
      }
      const { error, text: answer } = yield* call("POST", "/v2/verify/bank", {
        key,
        body: damaged.join(""),
        headers: { "content-type": "multipart/form-data; boundary=----a1b2c3" }
      })
      assert.include(["VALIDATION_ERROR", "INVALID_IMAGE_FORMAT"], error?.code, `${count}: ${answer}`)
    }
  })
})
