import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Redacted } from "effect"
import { send } from "../../../../support/banks/local-bank.ts"
import { scbCode } from "../../../../support/banks/scb-bank.ts"
import { scbSlipData } from "../../../../support/banks/slip-data.ts"
import { assertUnavailable } from "../assert-unavailable.ts"
import { givenScb, known, unknown } from "../given-banks.ts"

describe("the gateway scb", () => {
  it.effect("asks by transRef and sending bank and keeps the unchanged body", function* () {
    const { ask, bank } = yield* givenScb()

    const { answer, gateway, upstream } = yield* ask(known)

    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    assert.strictEqual(gateway, "scb")
    assert.strictEqual(answer.transfer.amount, 150_050)
    assert.strictEqual(answer.transfer.transferredAt, "2026-11-21T15:45:00+07:00")
    assert.strictEqual(answer.transfer.receiver.bank.short, "SCB")
    const [asked] = bank.requests("slip")
    assert.include(asked?.url, `/transactions/${known.transRef}?sendingBank=014`)
    assert.isTrue(upstream?.startsWith(`{"status":{"code":1000,"description":"Success"},"data":{"transRef":"2026`))
  })

  it.effect("answers not found only for HTTP 404 with code 1104, and keeps that body", function* () {
    const { ask, bank } = yield* givenScb()
    const { answer, upstream } = yield* ask(unknown)
    assert.deepStrictEqual(answer, { _tag: "NotFound" })
    assert.include(upstream ?? "", "1104")

    for (
      const [status, body] of [
        [404, "<html>no such page</html>"],
        [404, ""],
        [404, {}],
        [404, scbCode(404, 1101).body],
        [200, scbCode(200, 1104).body],
        [500, scbCode(500, 1104).body]
      ] as const
    ) {
      bank.override("slip", (_, response) => send(response, { status, body }))
      assertUnavailable(yield* ask(unknown), /^SCB answered /u)
    }
  })

  it.effect("shares one token between concurrent questions and until it expires", function* () {
    const { ask, bank } = yield* givenScb()

    const replies = yield* Effect.all(Array.from({ length: 50 }, () => ask(known)), { concurrency: "unbounded" })
    yield* ask(known)

    assert.isTrue(replies.every(({ answer }) => answer._tag === "Found"))
    assert.lengthOf(bank.requests("token"), 1)
    assert.lengthOf(bank.requests("slip"), 51)
  })

  it.effect.each(
    [
      ["code 9300", scbCode(401, 9300)],
      ["HTTP 401 and nothing else", { status: 401, body: "" }]
    ] as const
  )("fails when a fresh token is refused too: %s", function* ([, refusal]) {
    const { ask, bank } = yield* givenScb()
    bank.override("slip", (_, response) => send(response, refusal))

    assertUnavailable(yield* ask(known), /HTTP 401/u)

    assert.lengthOf(bank.requests("token"), 2)
    assert.lengthOf(bank.requests("slip"), 2)
  })

  it.effect("names the setting to check when SCB refuses the key or the secret, without its value", function* () {
    for (
      const [changes, words] of [
        [{ apiSecret: Redacted.make("wrong-secret") }, /code 9500 .*check SCB_API_KEY/u],
        [{ apiKey: Redacted.make("wrong-key") }, /code 9100 .*check SCB_API_KEY and SCB_API_SECRET/u]
      ] as const
    ) {
      const { ask, bank } = yield* givenScb(changes)
      const reply = yield* ask(known)
      assertUnavailable(reply, words)
      assert.notMatch(JSON.stringify(reply), /wrong-/u)
      assert.lengthOf(bank.requests("slip"), 0)
    }
  })

  it.effect.each(
    [
      [400, 1102, /does not accept the request/u],
      [400, 1111, /repeated/u],
      [501, 4101, /channel/u],
      [500, 8101, /a system behind SCB/u],
      [403, 9503, /no permission/u],
      [500, 9900, /a server error/u],
      [200, 7777, /unknown/u],
      [503, 7777, /unknown/u]
    ] as const
  )("gives no definite answer for HTTP %d with code %d", function* ([status, code, words]) {
    const { ask, bank } = yield* givenScb()
    bank.override("slip", (_, response) => send(response, scbCode(status, code)))

    const reply = yield* ask(known)

    assertUnavailable(reply, words)
    assertUnavailable(reply, new RegExp(`code ${code} with HTTP ${status}`, "u"))
    assert.strictEqual(reply.upstream, JSON.stringify(scbCode(status, code).body))
  })

  it.effect("never quotes SCB's text in its reason", function* () {
    const { ask, bank } = yield* givenScb()
    for (
      const body of [
        { status: { code: "SOMCHAI", description: "SOMCHAI" } },
        { status: { code: 66_812_345_678, description: "SOMCHAI" } },
        { status: { code: 1000 }, data: { transRef: "SOMCHAI", amount: "SOMCHAI" } },
        "<html>SOMCHAI</html>"
      ]
    ) {
      bank.override("slip", (_, response) => send(response, { status: 200, body }))
      const { answer } = yield* ask(known)
      assert(answer._tag === "Unavailable", `the answer was ${answer._tag}`)
      assert.notMatch(answer.why, /SOMCHAI|66812345678/u)
    }
  })

  it.effect("uses the delay that SCB requests", function* () {
    const { ask, bank } = yield* givenScb()
    bank.override(
      "slip",
      (_, response) => send(response, { status: 429, headers: { "retry-after": "17" }, body: "" })
    )

    const { answer, upstream } = yield* ask(known)

    assert.deepInclude(answer, { _tag: "Unavailable", retryAfterSeconds: 17 })
    assert.isNull(upstream)
  })

  it.effect("accepts amounts and codes as numbers or as text", function* () {
    const { ask, bank } = yield* givenScb()
    const body = { status: { code: "1000" }, data: scbSlipData(known, { amount: 1500.5 }) }
    bank.override("slip", (_, response) => send(response, { status: 200, body }))

    const { answer } = yield* ask(known)

    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    assert.strictEqual(answer.transfer.amount, 150_050)
  })

  it.effect("answers only for the configured sending banks", function* () {
    const every = yield* givenScb()
    const some = yield* givenScb({ sendingBanks: ["014", "004"] })

    assert.deepStrictEqual(["014", "002"].map(every.gateway.answersFor), [true, true])
    assert.deepStrictEqual(["014", "004", "002"].map(some.gateway.answersFor), [true, true, false])
  })

  it.effect("can be checked without a slip", function* () {
    const { bank, gateway } = yield* givenScb()
    yield* gateway.check
    assert.lengthOf(bank.requests("token"), 1)
    assert.lengthOf(bank.requests("slip"), 0)
    const wrong = yield* givenScb({ apiSecret: Redacted.make("wrong") })
    assert.match((yield* Effect.flip(wrong.gateway.check)).why, /check SCB_API_KEY/u)
  })
})
