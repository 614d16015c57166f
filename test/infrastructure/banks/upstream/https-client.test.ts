import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import https from "node:https"
import { makeUpstreamClient } from "../../../../infrastructure/banks/upstream/https-client.ts"
import { send } from "../../../support/banks/local-bank.ts"
import { scbCode } from "../../../support/banks/scb-bank.ts"
import { type Asked, listening, recording } from "../../../support/loopback-server.ts"
import { certificateOf, testAuthority } from "../../../support/tls.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { givenScb, known } from "../given-banks.ts"

const KIB = 1024

describe("the way to a bank", () => {
  it.effect("keeps its connections", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      for (let times = 0; times < 10; times++) yield* ask(known)
      // The first slip may be asked about before the connection of the token is free again.
      assert.isAtMost(bank.connections(), 2)
    }))

  it.effect("asks once more where a kept connection turns out to be cut", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      yield* ask(known)
      bank.meddle("slip", (_, response) => {
        bank.meddle("slip")
        response.destroy()
      })

      assert.strictEqual((yield* ask(known)).answer._tag, "Found")

      assert.lengthOf(bank.asked("slip"), 3)
    }))

  it.effect("gives up where a new connection is cut, before the answer or in the middle of it", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      bank.meddle("slip", (_, response) => response.destroy())
      assertUnavailable(yield* ask(known), /SCB cut the connection/u)

      bank.meddle("slip", (_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write(`{"status":`, () => response.destroy())
      })
      const reply = yield* ask(known)
      assertUnavailable(reply, /SCB cut the connection/u)
      assert.isNull(reply.upstream)
    }))

  it.effect.each(
    [
      ["announced", (size: number) => ({ "content-length": String(size) })],
      ["not announced", () => ({})]
    ] as const
  )("reads 256 KiB of a body and no more: %s", ([, headers]) =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      const answerWith = (size: number) =>
        bank.meddle("slip", (_, response) => {
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
    }))

  it.effect("keeps Thai text whole, wherever the network cuts it, and a byte order mark too", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      const text = `\uFEFF{"status":{"code":1104,"description":"ไม่พบรายการ"}}`
      const bytes = Buffer.from(text)
      bank.meddle("slip", (_, response) => {
        response.writeHead(404)
        response.write(bytes.subarray(0, 50), () => response.end(bytes.subarray(50)))
      })

      const { answer, upstream } = yield* ask(known)

      assert.strictEqual(answer._tag, "NotFound")
      assert.strictEqual(upstream, text)
    }))

  it.effect("follows no redirect: what it sends is for the bank alone", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb()
      const elsewhere = yield* givenScb()
      const location = `${elsewhere.bank.url}/partners/v1/payment/billpayment/transactions/${known.transRef}`
      bank.meddle("slip", (_, response) => send(response, { status: 302, headers: { location }, body: "" }))

      assertUnavailable(yield* ask(known), /HTTP 302/u)
      assert.lengthOf(elsewhere.bank.asked("slip"), 0)
    }))

  it.effect("ends with the time of the question where the bank says nothing, and cuts the connection", () =>
    Effect.gen(function* () {
      const { ask, bank } = yield* givenScb({ timeoutMillis: 4_000 })
      yield* ask(known)
      const cut = yield* Effect.forkChild(
        Effect.callback<void>((resume) =>
          bank.meddle("slip", (_, response) => void response.on("close", () => resume(Effect.void)))
        )
      )
      const arrived = yield* Effect.forkChild(bank.next("slip"), { startImmediately: true })
      const asked = yield* Effect.forkChild(ask(known))
      yield* Fiber.join(arrived)

      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust("1 millis")

      const reply = yield* Fiber.join(asked)
      assertUnavailable(reply, /no answer within 4000 ms/u)
      assert.strictEqual(reply.tookMillis, 4_000)
      yield* Fiber.join(cut)
    }))

  it.effect.each(["expired", "stranger"] as const)(
    "trusts nobody with a certificate that is no good: %s",
    (kind) =>
      Effect.gen(function* () {
        const asked: Array<Asked> = []
        const server = https.createServer(certificateOf(kind), recording(asked, (_, response) => response.end("{}")))
        server.on("tlsClientError", () => {})
        const port = yield* listening(server, "127.0.0.1")
        const { gateway } = yield* givenScb({ baseUrl: `https://127.0.0.1:${port}` })

        assertUnavailable(yield* gateway.verify(known), /its certificate is no good .*EGRESS_CA_FILE/u)
        assert.lengthOf(asked, 0)
      })
  )

  it.effect("trusts the authorities of the runtime alone unless it is given others", () =>
    Effect.gen(function* () {
      const { ask } = yield* givenScb({ authorities: undefined })
      assertUnavailable(yield* ask(known), /its certificate is no good/u)
    }))

  it.effect("says of an address where nobody listens, and of a name that there is not, what is wrong", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* Effect.scoped(listening(server, "127.0.0.1"))
      const nobody = yield* givenScb({ baseUrl: `https://127.0.0.1:${port}` })
      assertUnavailable(yield* nobody.ask(known), /nobody listens there \(ECONNREFUSED\)/u)
      const nameless = yield* givenScb({ baseUrl: "https://scb.invalid" })
      assertUnavailable(yield* nameless.ask(known), /its name can't be resolved/u)
    }))

  it.effect("speaks plain HTTP too, which base URLs of this machine may have", () =>
    Effect.gen(function* () {
      const asked: Array<Asked> = []
      const port = yield* listening(createServer(recording(asked, (_, response) => response.end("hello"))), "127.0.0.1")
      const ask = yield* makeUpstreamClient({
        title: "SCB",
        baseUrl: `http://127.0.0.1:${port}/base`,
        authorities: [testAuthority.certificate]
      })

      const answer = yield* ask({ method: "POST", path: "/x", headers: {}, body: "ไทย" })

      assert.deepStrictEqual(answer, { status: 200, retryAfter: undefined, text: "hello" })
      assert.deepInclude(asked[0], { url: "/base/x", method: "POST", body: "ไทย" })
    }))
})
