import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeKbankGateway } from "../../../../../infrastructure/adapters/banks/kbank/kbank-gateway.ts"
import { makeClient } from "../../../../support/banks/client-certificate.ts"
import { kbankCode, startKbankBank } from "../../../../support/banks/kbank-bank.ts"
import { send } from "../../../../support/banks/local-bank.ts"
import { kbankSlipData } from "../../../../support/banks/slip-data.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { givenKbank, kbankOptions, known, slipsOf, unknown } from "../given-banks.ts"

const codes = { notFound: ["4004"], pending: ["4005"] }

describe("the gateway kbank", () => {
  it.effect("asks by transRef and sending bank with the time in Bangkok, and keeps the unchanged body", function* () {
    const { ask, bank } = yield* givenKbank()
    yield* TestClock.setTime(Date.parse("2026-11-21T15:45:00.007+07:00"))

    const { answer, gateway, upstream } = yield* ask(known)

    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    assert.strictEqual(gateway, "kbank")
    assert.strictEqual(answer.transfer.amount, 150_050)
    assert.strictEqual(answer.transfer.receiver.account.bank?.account, "xxx-x-x1234-x")
    assert.include(upstream ?? "", `"statusCode":"0000"`)
    const body = JSON.parse(bank.requests("slip")[0]?.body ?? "")
    assert.strictEqual(body.rqDt, "2026-11-21T15:45:00.007+07:00")
    assert.deepStrictEqual(body.data, { sendingBank: "014", transRef: known.transRef })
  })

  it.effect("sends a new request id each time", function* () {
    const { ask, bank } = yield* givenKbank()
    yield* ask(known)
    yield* ask(known)
    const ids = bank.requests("slip").map(({ body }) => JSON.parse(body).rqUID)
    assert.strictEqual(new Set(ids).size, 2)
  })

  it.effect("answers not found for HTTP 404 of the API and for no other 404", function* () {
    const { ask, bank } = yield* givenKbank()
    assert.deepStrictEqual((yield* ask(unknown)).answer, { _tag: "NotFound" })
    bank.override("slip", (_, response) => send(response, { status: 404, body: "" }))
    assert.deepStrictEqual((yield* ask(unknown)).answer, { _tag: "NotFound" })

    for (
      const body of [
        "<html><body>The page cannot be found</body></html>",
        "Not Found",
        { fault: { faultstring: "Unable to identify proxy for host" } }
      ]
    ) {
      bank.override("slip", (_, response) => send(response, { status: 404, body }))
      assertUnavailable(yield* ask(unknown), /HTTP 404 .*KBANK_BASE_URL/u)
    }
  })

  it.effect("uses the configured codes and gives no definite answer for other codes", function* () {
    const { ask, bank } = yield* givenKbank({ codes })
    const answerTo = Effect.fnUntraced(function* (status: number, code: string, headers = {}) {
      bank.override("slip", (_, response) => send(response, { ...kbankCode(status, code), headers }))
      return yield* ask(known)
    })

    assert.deepStrictEqual((yield* answerTo(200, "4004")).answer, { _tag: "NotFound" })
    assert.deepStrictEqual((yield* answerTo(400, "4004")).answer, { _tag: "NotFound" })
    assert.deepStrictEqual((yield* answerTo(200, "4005")).answer, { _tag: "Pending", retryAfterSeconds: 30 })
    const pending = yield* answerTo(404, "4005", { "retry-after": "9" })
    assert.deepStrictEqual(pending.answer, { _tag: "Pending", retryAfterSeconds: 9 })

    assertUnavailable(yield* answerTo(200, "4006"), /code 4006 with HTTP 200: .*KBANK_NOT_FOUND_CODES/u)
    assertUnavailable(yield* answerTo(500, "4004"), /code 4004 with HTTP 500/u)
    assertUnavailable(yield* answerTo(200, "no code at all"), /HTTP 200 without a known answer/u)
  })

  it.effect("replaces a token shortly before it expires", function* () {
    const { ask, bank } = yield* givenKbank({}, 1_740)
    yield* ask(known)
    yield* TestClock.adjust("1679 seconds")
    yield* ask(known)
    assert.lengthOf(bank.requests("token"), 1)
    yield* TestClock.adjust("1 second")
    yield* ask(known)
    assert.lengthOf(bank.requests("token"), 2)
  })

  it.effect("names the settings to check when KBank refuses the credentials, and keeps the body", function* () {
    const { ask, bank } = yield* givenKbank({ consumerSecret: Redacted.make("wrong-secret") })

    const reply = yield* ask(known)

    assertUnavailable(reply, /check KBANK_CONSUMER_ID and KBANK_CONSUMER_SECRET/u)
    assert.strictEqual(reply.upstream, `{"error":"invalid_client"}`)
    assert.lengthOf(bank.requests("slip"), 0)
  })

  it.effect("sends the test headers to KBank's sandbox", function* () {
    const { ask } = yield* givenKbank({ isTest: true })
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
  })

  it.effect("reports that KBank refuses a connection without a client certificate", function* () {
    const { authority } = yield* makeClient
    const { certificate: otherCertificate } = yield* makeClient
    const bank = yield* startKbankBank({ slips: slipsOf(kbankSlipData, known), clientAuthority: authority })
    const without = yield* makeKbankGateway(kbankOptions(bank.url))
    const withOther = yield* makeKbankGateway(kbankOptions(bank.url, { certificate: otherCertificate }))

    assertUnavailable(yield* without.verify(known), /refused the client certificate/u)
    assertUnavailable(yield* withOther.verify(known), /^KBank /u)
    assert.lengthOf(bank.requests("token"), 0)
  })
})
