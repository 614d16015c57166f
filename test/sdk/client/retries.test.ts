import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { makeSlipTrail, SlipTrailError, type SlipTrailOptions } from "../../../sdk/client/sliptrail.ts"

const payload = "0046000600000101030040225SBXF000037S20TOVMTPDR6N6V5102TH91040040"

const ok = (data: unknown = {}) => Response.json({ success: true, data, message: "" })

const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  Response.json(
    { success: false, error: { code, message: `of ${code}` } },
    { status, headers: { "x-request-id": "r-7", ...headers } }
  )

type Attempt = (signal: AbortSignal) => Response | Promise<Response>

const unreachable: Attempt = () => Promise.reject(new TypeError("fetch failed"))
const silent: Attempt = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

/** A client whose attempts have these outcomes in order, with the sent requests and their times. */
const given = (attempts: ReadonlyArray<Attempt>, options: Partial<SlipTrailOptions> = {}) => {
  const sent: Array<{ readonly at: number; readonly request: Request }> = []
  const client = makeSlipTrail({
    baseUrl: "https://slips.example/",
    apiKey: "0f8fad5b-d9cb-4f69-a165-70867728950e",
    fetch: async (input, init) => {
      const request = new Request(input, init)
      sent.push({ at: Date.now(), request })
      const next = attempts[sent.length - 1]
      return next === undefined ? assert.fail("more attempts than expected") : next(request.signal)
    },
    ...options
  })
  return { client, sent }
}

/** The result or the error of a call, after all its timers have run. */
const ended = async (call: Promise<unknown>): Promise<unknown> => {
  const end = call.catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return end
}

const failed = async (call: Promise<unknown>): Promise<SlipTrailError> => {
  const error = await ended(call)
  return error instanceof SlipTrailError ? error : assert.fail(`ended with ${String(error)}`)
}

const keyOf = ({ request }: { readonly request: Request }) => request.headers.get("idempotency-key")

describe("the client", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("ends a loop over a list whose cursor comes again", async () => {
    const page = (nextCursor: string): Attempt => () => ok({ items: [{ id: nextCursor }], nextCursor })
    const { client, sent } = given([page("a"), page("b"), page("a")])
    const read = async () => {
      const found: Array<unknown> = []
      for await (const delivery of client.webhook.allDeliveries()) found.push(delivery)
      return found
    }
    const error = await ended(read())
    assert.include(String(error), "the service gave the same cursor twice")
    assert.strictEqual(sent.length, 3)
  })

  it("retries a network failure under one key, with growing delays, at most three times", async () => {
    const { client, sent } = given([unreachable, unreachable, unreachable, unreachable])
    const error = await failed(client.verify({ payload }))
    assert.deepStrictEqual([error.code, error.status], ["NETWORK_ERROR", 0])
    assert.include(error.message, "https://slips.example")
    assert.instanceOf(error.cause, TypeError)

    const [first, second, third, fourth] = sent.map(({ at }) => at) as [number, number, number, number]
    assert.isTrue(second - first >= 500 && second - first <= 750)
    assert.isTrue(third - second >= 1_000 && third - second <= 1_500)
    assert.isTrue(fourth - third >= 2_000 && fourth - third <= 3_000)
    assert.match(keyOf(sent[0] ?? assert.fail()) ?? "", /^[0-9a-f]{32}$/u)
    assert.strictEqual(new Set(sent.map(keyOf)).size, 1)
  })

  it("uses another key for each call, or the caller's own key", async () => {
    const { client, sent } = given([() => ok(), () => ok(), () => ok()])
    await client.verifyAsync({ payload })
    await client.verifyAsync({ payload })
    await client.verify({ payload }, { idempotencyKey: "order-42" })
    const [first, second, third] = sent.map(keyOf)
    assert.notStrictEqual(first, second)
    assert.strictEqual(third, "order-42")
  })

  it("waits for Retry-After", async () => {
    for (const [status, code] of [[429, "RATE_LIMIT_EXCEEDED"], [500, "API_SERVER_ERROR"]] as const) {
      const later: Attempt = () => refusal(status, code, { "retry-after": "7" })
      const { client, sent } = given([later, () => ok({ status: "found" })])
      assert.deepStrictEqual(await ended(client.verify({ payload })), { status: "found" })
      const [first, second] = sent.map(({ at }) => at) as [number, number]
      assert.strictEqual(second - first, 7_000)
    }
  })

  it("returns a longer Retry-After to its caller", async () => {
    const { client, sent } = given([() => refusal(500, "API_SERVER_ERROR", { "retry-after": "30" })])
    const error = await failed(client.verify({ payload }))
    assert.deepStrictEqual([error.code, error.retryAfterSeconds, error.requestId], ["API_SERVER_ERROR", 30, "r-7"])
    assert.lengthOf(sent, 1)
  })

  it("does not retry a permanent answer", async () => {
    for (
      const [status, code] of [
        [400, "VALIDATION_ERROR"],
        [404, "SLIP_PENDING"],
        [403, "QUOTA_EXCEEDED"],
        [500, "INTERNAL_SERVER_ERROR"]
      ] as const
    ) {
      const { client, sent } = given([() => refusal(status, code, { "retry-after": "1" })])
      const error = await failed(client.verify({ payload }))
      assert.deepStrictEqual([error.status, error.code, error.message, sent.length], [status, code, `of ${code}`, 1])
    }
  })

  it("retries a request without a key only when it was refused", async () => {
    for (const call of ["rotateSecret", "redeliver"] as const) {
      const start = (attempts: ReadonlyArray<Attempt>) => {
        const { client, sent } = given(attempts)
        return { sent, done: call === "redeliver" ? client.redeliver("7") : client.webhook.rotateSecret() }
      }
      const lost = start([unreachable])
      assert.strictEqual((await failed(lost.done)).code, "NETWORK_ERROR")
      const limited = start([() => refusal(429, "RATE_LIMIT_EXCEEDED", { "retry-after": "1" }), () => ok()])
      assert.deepStrictEqual(await ended(limited.done), {})
      assert.isNull(keyOf(limited.sent[0] ?? assert.fail()))
    }
  })

  it("retries safe requests without a key", async () => {
    const calls = [
      given([unreachable, () => ok()]).client.info(),
      given([unreachable, () => ok()]).client.webhook.set(null),
      given([unreachable, () => ok()]).client.bankAccounts.change("1", { nameEn: null }),
      given([unreachable, () => ok()]).client.bankAccounts.deactivate("1"),
      given([unreachable, () => ok()]).client.decode({ payload })
    ]
    for (const call of calls) assert.deepStrictEqual(await ended(call), {})
  })

  it("waits for its own earlier attempt in progress, and for no other request", async () => {
    const running = () => refusal(409, "IDEMPOTENCY_IN_PROGRESS")
    const own = given([silent, running, () => ok({ verified: true })], { timeoutMillis: 50 })
    assert.deepStrictEqual(await ended(own.client.verify({ payload })), { verified: true })
    const others = given([running])
    const { code } = await failed(others.client.verify({ payload }, { idempotencyKey: "k" }))
    assert.strictEqual(code, "IDEMPOTENCY_IN_PROGRESS")
  })

  it("ends an attempt at its time limit", async () => {
    const { client, sent } = given([silent, silent, silent, silent], { timeoutMillis: 50 })
    const error = await failed(client.info())
    assert.deepStrictEqual([error.code, error.message, sent.length], ["TIMEOUT", "No answer within 50 ms", 4])
  })

  it("does not accept an answer of a proxy, and retries it", async () => {
    const page = (status: number): Attempt => () => new Response("<h1>Sorry</h1>", { status })
    const unavailable = given([page(503), page(502), () => ok({ back: true })])
    assert.deepStrictEqual(await ended(unavailable.client.info()), { back: true })
    for (const status of [200, 404, 500]) {
      const error = await failed(given([page(status)]).client.info())
      assert.deepStrictEqual([error.code, error.status], ["UNEXPECTED_ANSWER", status])
      assert.include(error.message, "<h1>Sorry</h1>")
    }
    const odd = await failed(given([() => Response.json({ success: "yes", data: 1 })]).client.info())
    assert.strictEqual(odd.code, "UNEXPECTED_ANSWER")
  })

  it("stops when its caller aborts, during a request and during a delay", async () => {
    const duringRequest = new AbortController()
    const reason = new Error("the order was cancelled")
    const first = given([silent]).client.info({ signal: duringRequest.signal })
    duringRequest.abort(reason)
    assert.strictEqual(await ended(first), reason)

    const duringDelay = new AbortController()
    const { client, sent } = given([() => refusal(429, "RATE_LIMIT_EXCEEDED", { "retry-after": "5" })])
    const second = client.info({ signal: duringDelay.signal }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(4_000)
    duringDelay.abort(reason)
    assert.strictEqual(await second, reason)
    assert.lengthOf(sent, 1)
  })

  it("sends the key, follows no redirect, and encodes ids in paths", async () => {
    const { client, sent } = given([() => ok(), () => ok(), () => ok()])
    await client.job("../../admin?x=1")
    await client.webhook.deliveries({ status: "failed", limit: 7 })
    await client.bankAccounts.list({ isActive: false })
    const [job, deliveries, accounts] = sent.map(({ request }) => request)
    assert.strictEqual(job?.url, "https://slips.example/v2/verify/bank/jobs/..%2F..%2Fadmin%3Fx%3D1")
    assert.strictEqual(deliveries?.url, "https://slips.example/v2/webhook/deliveries?status=failed&limit=7")
    assert.strictEqual(accounts?.url, "https://slips.example/v2/bank-accounts?isActive=false")
    assert.strictEqual(job?.headers.get("authorization"), "Bearer 0f8fad5b-d9cb-4f69-a165-70867728950e")
    assert.strictEqual(job?.redirect, "error")
  })

  it("is not created with an invalid URL or key", () => {
    for (const baseUrl of ["", "slips.example", "ftp://slips.example"]) {
      assert.throws(() => makeSlipTrail({ baseUrl, apiKey: "k" }), TypeError, "baseUrl")
    }
    for (const apiKey of ["", "a key", "k\n"]) {
      assert.throws(() => makeSlipTrail({ baseUrl: "https://slips.example", apiKey }), TypeError, "apiKey")
    }
  })
})
