import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import https from "node:https"
import {
  makeUpstreamClient,
  type UpstreamClientOptions
} from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import { send } from "../../../../support/banks/local-bank.ts"
import { scbCode, startScbBank } from "../../../../support/banks/scb-bank.ts"
import { listening, type RecordedRequest, recording } from "../../../../support/loopback-server.ts"
import { certificateOf, testAuthority } from "../../../../support/tls.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { givenScb, known } from "../given-banks.ts"

const KIB = 1024

/** A client with its options, and the server that it asks. */
const givenVendor = Effect.fnUntraced(function* (options: Partial<UpstreamClientOptions>) {
  const bank = yield* startScbBank({ slips: new Map() })
  const send = yield* makeUpstreamClient({
    title: "Vendor",
    baseUrl: bank.url,
    authorities: [testAuthority.certificate],
    ...options
  })
  return {
    bank,
    ask: send({ method: "GET", path: "/partners/v1/payment/billpayment/transactions/1", headers: {} }),
    breakNext: () =>
      bank.override("slip", (_, response) => {
        bank.override("slip")
        response.destroy()
      })
  }
})

describe("the HTTPS client of a bank", () => {
  it.effect("reuses its connections", function* () {
    const { ask, bank } = yield* givenScb()
    for (let times = 0; times < 10; times++) yield* ask(known)
    // The first question can be sent before the connection of the token request is free.
    assert.isAtMost(bank.connections(), 2)
  })

  it.effect("repeats a request whose persistent connection was closed", function* () {
    const { ask, bank } = yield* givenScb()
    yield* ask(known)
    bank.override("slip", (_, response) => {
      bank.override("slip")
      response.destroy()
    })

    assert.strictEqual((yield* ask(known)).answer._tag, "Found")

    assert.lengthOf(bank.requests("slip"), 3)
  })

  it.effect("sends a request that may be charged once, on its own connection", function* () {
    const { ask, bank, breakNext } = yield* givenVendor({ isRepeatable: false })
    yield* ask
    yield* ask
    assert.strictEqual(bank.connections(), 2)

    breakNext()
    assert.match((yield* Effect.flip(ask)).why, /^Vendor closed the connection$/u)

    assert.lengthOf(bank.requests("slip"), 3)
    yield* ask
  })

  it.effect("replaces secrets that a response repeats, in any case", function* () {
    const secrets = ["a9ba6e4b-3a51-4d8e", "p+ss(w)ord$/=", "short"].map((text) => Redacted.make(text))
    const { ask, bank } = yield* givenVendor({ secrets })
    bank.override(
      "slip",
      (_, response) =>
        send(response, { status: 401, body: "Bearer A9BA6E4B-3a51-4d8e, p+ss(w)ord$/=, password and short" })
    )

    assert.strictEqual((yield* ask).text, "Bearer ***, ***, password and short")
  })

  it.effect("fails when a new connection breaks before or during the response", function* () {
    const { ask, bank } = yield* givenScb()
    bank.override("slip", (_, response) => response.destroy())
    assertUnavailable(yield* ask(known), /SCB closed the connection/u)

    bank.override("slip", (_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write(`{"status":`, () => response.destroy())
    })
    const reply = yield* ask(known)
    assertUnavailable(reply, /SCB closed the connection/u)
    assert.isNull(reply.upstream)
  })

  it.effect.each(
    [
      ["announced", (size: number) => ({ "content-length": String(size) })],
      ["not announced", () => ({})]
    ] as const
  )("reads at most 256 KiB of a body: %s", function* ([, headers]) {
    const { ask, bank } = yield* givenScb()
    const answerWith = (size: number) =>
      bank.override("slip", (_, response) => {
        const body = JSON.stringify(scbCode(404, 1104).body).padEnd(size)
        response.writeHead(404, headers(size))
        response.write(body.slice(0, 100))
        response.end(body.slice(100))
      })

    answerWith(256 * KIB)
    const { answer, upstream } = yield* ask(known)
    assert.strictEqual(answer._tag, "NotFound")
    assert.lengthOf(upstream ?? "", 256 * KIB)

    answerWith(256 * KIB + 1)
    assertUnavailable(yield* ask(known), /more than 262144 bytes/u)
  })

  it.effect("decodes Thai text that is split between packets, and keeps a byte order mark", function* () {
    const { ask, bank } = yield* givenScb()
    const text = `\uFEFF{"status":{"code":1104,"description":"ไม่พบรายการ"}}`
    const bytes = Buffer.from(text)
    bank.override("slip", (_, response) => {
      response.writeHead(404)
      response.write(bytes.subarray(0, 50), () => response.end(bytes.subarray(50)))
    })

    const { answer, upstream } = yield* ask(known)

    assert.strictEqual(answer._tag, "NotFound")
    assert.strictEqual(upstream, text)
  })

  it.effect("does not follow redirects: its secrets are for the bank only", function* () {
    const { ask, bank } = yield* givenScb()
    const elsewhere = yield* givenScb()
    const location = `${elsewhere.bank.url}/partners/v1/payment/billpayment/transactions/${known.transRef}`
    bank.override("slip", (_, response) => send(response, { status: 302, headers: { location }, body: "" }))

    assertUnavailable(yield* ask(known), /HTTP 302/u)
    assert.lengthOf(elsewhere.bank.requests("slip"), 0)
  })

  it.effect("closes the connection at the time limit when the bank does not answer", function* () {
    const { ask, bank } = yield* givenScb({ timeoutMillis: 4_000 })
    yield* ask(known)
    const cut = yield* Effect.forkChild(
      Effect.callback<void>((resume) =>
        bank.override("slip", (_, response) => void response.on("close", () => resume(Effect.void)))
      )
    )
    const arrived = yield* Effect.forkChild(bank.next("slip"), { startImmediately: true })
    const fiber = yield* Effect.forkChild(ask(known))
    yield* Fiber.join(arrived)

    yield* TestClock.adjust("3999 millis")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("1 millis")

    const reply = yield* Fiber.join(fiber)
    assertUnavailable(reply, /no answer within 4000 ms/u)
    assert.strictEqual(reply.tookMillis, 4_000)
    yield* Fiber.join(cut)
  })

  it.effect.each(["expired", "stranger"] as const)("refuses an invalid server certificate: %s", function* (kind) {
    const requests: Array<RecordedRequest> = []
    const server = https.createServer(certificateOf(kind), recording(requests, (_, response) => response.end("{}")))
    server.on("tlsClientError", () => {})
    const port = yield* listening(server, "127.0.0.1")
    const { gateway } = yield* givenScb({ baseUrl: `https://127.0.0.1:${port}` })

    assertUnavailable(yield* gateway.verify(known), /its certificate is invalid .*EGRESS_CA_FILE/u)
    assert.lengthOf(requests, 0)
  })

  it.effect("trusts only the authorities of the runtime unless others are configured", function* () {
    const { ask } = yield* givenScb({ authorities: undefined })
    assertUnavailable(yield* ask(known), /its certificate is invalid/u)
  })

  it.effect("describes a refused connection and an unknown name", function* () {
    const server = createServer()
    const port = yield* Effect.scoped(listening(server, "127.0.0.1"))
    const refused = yield* givenScb({ baseUrl: `https://127.0.0.1:${port}` })
    assertUnavailable(yield* refused.ask(known), /the connection was refused \(ECONNREFUSED\)/u)
    const nameless = yield* givenScb({ baseUrl: "https://scb.invalid" })
    assertUnavailable(yield* nameless.ask(known), /its name cannot be resolved/u)
  })

  it.effect("supports plain HTTP for base URLs of this machine", function* () {
    const requests: Array<RecordedRequest> = []
    const port = yield* listening(
      createServer(recording(requests, (_, response) => response.end("hello"))),
      "127.0.0.1"
    )
    const ask = yield* makeUpstreamClient({
      title: "SCB",
      baseUrl: `http://127.0.0.1:${port}/base`,
      authorities: [testAuthority.certificate]
    })

    const answer = yield* ask({ method: "POST", path: "/x", headers: {}, body: "ไทย" })

    assert.deepStrictEqual(answer, { status: 200, retryAfter: undefined, text: "hello" })
    assert.deepInclude(requests[0], { url: "/base/x", method: "POST", body: "ไทย" })
  })
})
