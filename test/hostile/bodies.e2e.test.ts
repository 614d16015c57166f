import { assert, layer } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { assertFailure, assertInvalid } from "../e2e/assert-answer.ts"
import { codeOf, postHead, type RawAnswer, rawExchange } from "../e2e/raw-http.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const MiB = 1024 * 1024
const BATCH = "/v2/verify/bank/batch"
const VERIFY = "/v2/verify/bank"

/** Two services of different owners. */
const tenants = Effect.gen(function* () {
  const service = yield* RunningService
  const [hostile, second] = yield* Effect.all([service.createService(), service.createService()])
  return { ...service, hostile: hostile.mainBranch.apiKey, second: second.mainBranch.apiKey }
})

/** A picture of a slip whose base64 is a large body: base64 may contain line breaks. */
const largePicture = Effect.map(
  drawSandboxSlip(newSlip()),
  (png) => Buffer.from(png).toString("base64") + "\n".repeat(200_000)
)

const TOO_LATE = "The body took too long to arrive. Send it without pauses."

/**
 * Runs an attack. Until it ends, the second tenant verifies payloads and pictures, which must all be right. On a slow
 * machine its bodies may exceed a short limit as well, and are sent again.
 */
const whileSecondVerifies = Effect.fnUntraced(function* <A, E, R>(key: string, attack: Effect.Effect<A, E, R>) {
  const { call, verify } = yield* RunningService
  const running = yield* Effect.forkChild(attack)
  const unlessLate = (send: ReturnType<typeof call>) => eventually(send, ({ text }) => !text.includes(TOO_LATE))
  do {
    const image = yield* largePicture
    const [payload, picture] = yield* Effect.all([
      unlessLate(verify(key, newSlip().payload)),
      unlessLate(call("POST", VERIFY, { key, body: { image } }))
    ], { concurrency: "unbounded" })
    assert.strictEqual(payload.status, 200, payload.text)
    assert.strictEqual(picture.status, 200, picture.text)
  } while (running.pollUnsafe() === undefined)
  return yield* Fiber.join(running)
})

const issueOf = ({ body }: RawAnswer): string => /"issues":\[\{"path":"","message":"([^"]+)"/u.exec(body)?.[1] ?? body

const nested = `{"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}}`

layer.live(layerRunningService())("a hostile body", (it) => {
  it.effect("of 63 MiB with millions of empty slips is refused before it is parsed", function* () {
    const { call, hostile, second } = yield* tenants
    const body = `{"slips":[${"{},".repeat(21 * MiB)}{}]}`
    const answer = yield* whileSecondVerifies(second, call("POST", BATCH, { key: hostile, body }))
    assertInvalid(answer, "")
    assert.include(answer.text, "An array of the body has more than 2000 items")
  })

  it.effect("with many keys, many values or deep nesting is refused, also under an Idempotency-Key", function* () {
    const { call, hostile } = yield* tenants
    const keys = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":null`).join(",")
    const bodies = {
      [`{${keys(400_000)}}`]: "An object of the body has more than 256 fields",
      [`{"slips":[${`{${keys(200)}},`.repeat(30)}{}]}`]: "The body has more than 5000 values",
      [nested]: "The body is nested deeper than 32 levels"
    }
    for (const [body, message] of Object.entries(bodies)) {
      for (const headers of [{}, { "idempotency-key": "order-42" }]) {
        const answer = yield* call("POST", VERIFY, { key: hostile, body, headers })
        assertInvalid(answer, "")
        assert.include(answer.text, message)
      }
    }
  })

  it.effect("of 100 000 form parts is refused", function* () {
    const { call, hostile } = yield* tenants
    const body = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(100_000) + "--b--\r\n"
    const headers = { "content-type": "multipart/form-data; boundary=b" }
    const answer = yield* call("POST", VERIFY, { key: hostile, body, headers })
    assertInvalid(answer, "")
    assert.include(answer.text, "The form has more than 100 fields")
  })
})

/** Short limits, for bodies that must exceed them. */
const shortLimits = { BODY_IDLE_TIMEOUT: "500 millis", BODY_MAX_WAIT: "1 second" }

layer.live(layerRunningService(shortLimits))("a body", (it) => {
  it.effect("that stalls uses only its branch's budget, and ends", function* () {
    const { baseUrl, hostile, second } = yield* tenants
    const stalled = [postHead(BATCH, hostile, `Content-Length: ${62 * MiB}`), `{"slips":[`]
    const uploads = Effect.forEach(Array.from({ length: 16 }), () => rawExchange(baseUrl, stalled), {
      concurrency: "unbounded"
    })
    const counts = Effect.gen(function* () {
      const answers = (yield* uploads).flatMap(({ answers }) => answers)
      const withCode = (code: string) => answers.filter((answer) => codeOf(answer) === code)
      const [refused, late] = [withCode("RATE_LIMIT_EXCEEDED"), withCode("VALIDATION_ERROR")]
      assert.strictEqual(refused.length + late.length, 16)
      for (const { headers, status } of refused) {
        assert.deepStrictEqual([status, headers["retry-after"]], [429, "1"])
      }
      for (const answer of late) {
        assert.deepStrictEqual(
          [answer.status, answer.headers["connection"], issueOf(answer)],
          [400, "close", TOO_LATE]
        )
      }
      return { refused: refused.length, late: late.length }
    })
    // One of these bodies is received at a time, and the others wait for their turn. All could have their turn on a
    // machine on which they come one after the other.
    const attack = eventually(counts, ({ late, refused }) => late > 0 && refused > 0)
    yield* whileSecondVerifies(second, attack)
  })

  it.effect.each(["100-continue", "nonsense", "200-ok", "100-Continue, x"])(
    "that stalls ends also when its request expects %s",
    function* (expectation) {
      const { baseUrl, hostile } = yield* tenants
      const expects = `Expect: ${expectation}`
      for (const length of [`Content-Length: ${MiB}`, "Transfer-Encoding: chunked"]) {
        const sent = [postHead(VERIFY, hostile, expects, length), "5\r\n"]
        const { answers, closed } = yield* rawExchange(baseUrl, sent, 3)
        const [last] = answers.slice(-1)
        assert.isTrue(closed)
        assert.deepStrictEqual([last?.headers["connection"], last === undefined ? "" : issueOf(last)], [
          "close",
          TOO_LATE
        ])
      }
    }
  )

  it.effect("that is refused is not asked for with 100 Continue", function* () {
    const { baseUrl, hostile } = yield* tenants
    const expects = "Expect: 100-continue"
    const refused = [
      postHead(VERIFY, "wrong-key", expects, `Content-Length: ${MiB}`),
      postHead(VERIFY, "wrong-key", expects, "Transfer-Encoding: chunked"),
      postHead(VERIFY, hostile, expects, `Content-Length: ${7 * MiB}`),
      postHead(VERIFY, hostile, expects, `Content-Length: ${MiB}`, "Content-Encoding: br")
    ]
    for (const head of refused) {
      const { answers, closed } = yield* rawExchange(baseUrl, head, 2)
      assert.isTrue(closed)
      assert.deepStrictEqual(answers.map(({ headers, status }) => [status >= 400, headers["connection"]]), [[
        true,
        "close"
      ]])
    }
  })

  it.effect("that is sent before 100 Continue has its limits", function* () {
    const { baseUrl, hostile } = yield* tenants
    const expects = "Expect: 100-continue"
    const deep = postHead(VERIFY, hostile, expects, `Content-Length: ${nested.length}`)
    const { answers } = yield* rawExchange(baseUrl, [deep, nested], 2)
    const [last] = answers.slice(-1)
    assert.strictEqual(last === undefined ? "" : issueOf(last), "The body is nested deeper than 32 levels")
  })

  it.effect("that stalls ends also when its request offers to upgrade the protocol", function* () {
    const { baseUrl, hostile } = yield* tenants
    const offer = ["Connection: Upgrade", "Upgrade: foo"]
    for (const length of [`Content-Length: ${MiB}`, "Transfer-Encoding: chunked"]) {
      const { answers } = yield* rawExchange(baseUrl, [postHead(VERIFY, hostile, ...offer, length), "5\r\n"])
      assert.deepStrictEqual(
        answers.map((answer) => [answer.headers["connection"], issueOf(answer)]),
        [["close", TOO_LATE]]
      )
    }
  })
})

layer.live(layerRunningService({ BODY_IDLE_TIMEOUT: "60 seconds", BODY_MAX_WAIT: "500 millis" }))(
  "a branch whose budget is used up",
  (it) => {
    it.effect("is refused large bodies with 429, and another branch is not", function* () {
      const { baseUrl, call, hostile, second, verify } = yield* tenants
      yield* Effect.forkScoped(rawExchange(baseUrl, [postHead(BATCH, hostile, `Content-Length: ${64 * MiB}`), "{"]))
      const image = yield* largePicture
      // It waits for its turn first, which does not come.
      const refused = yield* eventually(
        call("POST", VERIFY, { key: hostile, body: { image } }),
        ({ status }) => status === 429
      )
      assert.deepStrictEqual([refused.error?.code, refused.headers.get("retry-after")], ["RATE_LIMIT_EXCEEDED", "1"])
      assert.include(refused.text, "Send fewer large bodies at a time.")
      assert.strictEqual((yield* verify(hostile, newSlip().payload)).status, 200)
      assert.strictEqual((yield* call("POST", VERIFY, { key: second, body: { image } })).status, 200)
    })
  }
)

layer.live(layerRunningService())("a large body", (it) => {
  it.effect("is decoded like a small one", function* () {
    const { call, second: key } = yield* tenants
    const picture = yield* largePicture
    const verify = (body: unknown, headers = {}) => call("POST", VERIFY, { key, body, headers })
    for (const body of [{ image: picture }, { base64: `data:image/png;base64,${picture}` }]) {
      assert.strictEqual((yield* verify(body)).status, 200)
    }
    const long = "a".repeat(100_000)
    assertFailure(yield* verify({ image: `${long}!` }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
    assertFailure(yield* verify({ base64: long }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
    assertInvalid(yield* verify({ image: `https:${long}` }), "image")
    assertInvalid(yield* verify({ payload: long }), "payload")
    assertInvalid(yield* verify({ image: picture, payload: "a" }), "")
    const v1 = yield* call("POST", "/v1/verify", { key, body: { data: picture } })
    assert.strictEqual(v1.status, 200, v1.text)

    const form = new FormData()
    form.set("image", new Blob([Buffer.from(picture, "base64"), new Uint8Array(100_000)]))
    assert.strictEqual((yield* verify(form)).status, 200)
  })

  it.effect("is replayed for the same Idempotency-Key, and refused for another content", function* () {
    const { call, second: key } = yield* tenants
    const image = yield* largePicture
    const post = (body: object) => call("POST", VERIFY, { key, body, headers: { "idempotency-key": "large" } })
    const first = yield* post({ image, remark: "order 1", bankCode: null })
    const again = yield* post({ remark: "order 1", image })
    assert.deepStrictEqual([first.status, again.text], [200, first.text])
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual((yield* post({ image, remark: "order 2" })).error?.code, "IDEMPOTENCY_KEY_REUSED")
  })
})

layer.live(layerRunningService({ RATE_LIMIT: "1", RATE_LIMIT_BURST: "40" }))("a batch", (it) => {
  it.effect("counts as its slips, may exceed the burst once, and delays only its own branch", function* () {
    const { call, hostile, second, verify } = yield* tenants
    const slips = Array.from({ length: 100 }, () => ({ payload: newSlip().payload }))
    const accepted = yield* call("POST", BATCH, { key: hostile, body: { slips } })
    assert.strictEqual(accepted.status, 202, accepted.text)
    assert.strictEqual(accepted.headers.get("x-ratelimit-remaining"), "0")

    const refused = yield* call("POST", BATCH, { key: hostile, body: { slips } })
    assertFailure(refused, 429, "RATE_LIMIT_EXCEEDED", "Too many requests")
    // It owes 60 tokens, less the seconds that have passed.
    assert.isAtLeast(Number(refused.headers.get("retry-after")), 2)
    assert.strictEqual((yield* verify(second, newSlip().payload)).status, 200)
  })
})
