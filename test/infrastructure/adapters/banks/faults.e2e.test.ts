import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { kbankSlipData, scbSlipData } from "../../../support/banks/slip-data.ts"
import { kbankFound } from "../../../support/banks/kbank-bank.ts"
import { type Kind, type Reply, send } from "../../../support/banks/local-bank.ts"
import { scbFound } from "../../../support/banks/scb-bank.ts"
import { assertUnavailable } from "./assert-unavailable.ts"
import { givenKbank, givenScb, known, unknown } from "./given-banks.ts"

const banks = [
  { title: "SCB", given: givenScb, about: (slip: typeof known) => scbFound(scbSlipData(slip)) },
  { title: "KBank", given: givenKbank, about: (slip: typeof known) => kbankFound(kbankSlipData(slip)) }
] as const

const page = "<html><body>ขออภัย Service unavailable</body></html>"

describe.each(banks)("faults of $title", ({ about, given, title }) => {
  const answering = Effect.fnUntraced(function* (kind: Kind, reply: Reply) {
    const { ask, bank } = yield* given()
    bank.override(kind, (_, response) => send(response, reply))
    return yield* ask(known)
  })

  it.effect.each([
    ["an error page", { status: 503, body: page }, /HTTP 503: a server error/u],
    [
      "a page instead of an answer",
      { status: 200, body: page },
      /HTTP 200 without a known answer; check \w+_BASE_URL/u
    ],
    [
      "truncated JSON",
      { status: 200, body: `{"status":{"code":1000},"statusCode":"0000","data":{` },
      /HTTP 200 without/u
    ],
    ["JSON that is not an object", { status: 200, body: [1000, "0000"] }, /HTTP 200 without a known answer/u],
    ["an empty JSON object", { status: 200, body: {} }, /HTTP 200 without a known answer/u],
    ["too many requests", { status: 429, body: page }, /HTTP 429: too many requests; try a lower \w+_CONCURRENCY/u]
  ] as ReadonlyArray<readonly [string, Reply, RegExp]>)(
    "gives no definite answer for %s and keeps the body",
    function* ([, reply, why]) {
      const { upstream, ...failure } = yield* answering("slip", reply)
      assertUnavailable(failure, why)
      assert.strictEqual(upstream, typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body))
      assert.notMatch(JSON.stringify(failure), /ขออภัย|unavailable</u)
    }
  )

  it.effect("gives no definite answer for an answer about another slip", function* () {
    assertUnavailable(yield* answering("slip", about(unknown)), /answered about another slip/u)
  })

  it.effect("limits the requested delay to 1 to 300 seconds", function* () {
    for (const [requested, expected] of [["12", 12], ["0", 1], ["86400", 300]] as const) {
      const reply = { status: 429, headers: { "retry-after": requested }, body: "" }
      assert.deepInclude((yield* answering("slip", reply)).answer, { retryAfterSeconds: expected })
    }
  })

  it.effect("asks about no slip without a token, and stores the response", function* () {
    const { ask, bank } = yield* given()
    bank.override("token", (_, response) => send(response, { status: 503, body: page }))
    const reply = yield* ask(known)
    assertUnavailable(reply, /HTTP 503/u)
    assert.strictEqual(reply.upstream, page)
    assert.lengthOf(bank.requests("slip"), 0)

    bank.override("token")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
  })

  it.effect.each([
    ["none", { status: 200, body: { data: {}, token_type: "Bearer" } }],
    ["an invalid token", { status: 200, body: { access_token: "a\r\nb", data: { accessToken: "a\r\nb" } } }],
    ["a page", { status: 200, body: page }]
  ] as ReadonlyArray<readonly [string, Reply]>)(
    "keeps nothing of a successful token response with %s",
    function* ([, body]) {
      const reply = yield* answering("token", body)
      assertUnavailable(reply, /gave no readable token/u)
      assert.isNull(reply.upstream)
    }
  )

  it.effect("reports a closed connection during the token request", function* () {
    const { ask, bank } = yield* given()
    bank.override("token", (_, response) => response.destroy())
    assertUnavailable(yield* ask(known), /closed the connection/u)
  })

  it.effect("requests one fresh token for all questions when its token is refused, and repeats each question once", function* () {
    const { ask, bank } = yield* given()
    yield* ask(known)
    bank.revokeTokens()

    const questions = Array.from({ length: 15 }, (_, index) => ({ ...known, branchId: `branch-${index}` }))
    const replies = yield* Effect.forEach(questions, ask, { concurrency: "unbounded" })

    assert.isTrue(replies.every(({ answer }) => answer._tag === "Found"))
    assert.lengthOf(bank.requests("token"), 2)
    assert.lengthOf(bank.requests("slip"), 31)
  })

  it.effect("answers in time when the token request hangs, and then requests a new token", function* () {
    const { ask, bank } = yield* given()
    bank.override("token", () => {})
    const arrived = yield* Effect.forkChild(bank.next("token"), { startImmediately: true })
    const fiber = yield* Effect.forkChild(Effect.all([ask(known), ask(known)], { concurrency: 2 }))
    yield* Fiber.join(arrived)
    yield* TestClock.adjust("4 seconds")
    for (const reply of yield* Fiber.join(fiber)) {
      assertUnavailable(reply, new RegExp(`${title} gave no (answer|token) within 4000 ms`, "u"))
    }
    assert.lengthOf(bank.requests("token"), 1)

    bank.override("token")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
  })

  it.effect("opens its circuit after five consecutive failures and closes it after a successful probe", function* () {
    const { ask, bank } = yield* given()
    bank.override("slip", (_, response) => send(response, { status: 500, body: page }))
    for (let times = 0; times < 5; times++) assertUnavailable(yield* ask(known), /HTTP 500/u)
    bank.override("slip")
    assertUnavailable(yield* ask(known), /circuit is open/u)
    assert.lengthOf(bank.requests("slip"), 5)

    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
  })
})
