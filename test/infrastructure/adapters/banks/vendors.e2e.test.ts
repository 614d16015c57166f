import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { setImmediate } from "node:timers/promises"
import { type Reply, send } from "../../../support/banks/local-bank.ts"
import {
  easyslip,
  rdcw,
  slip2go,
  slipok,
  SLIPOK_BRANCH_ID,
  slipokOverQuota,
  startVendor,
  type TestVendor,
  thunder
} from "../../../support/banks/vendors.ts"
import { assertUnavailable } from "./assert-unavailable.ts"
import { known, slipsOf, unknown } from "./given-banks.ts"

/** A vendor that knows the slip `known`, and its gateway. */
const given = Effect.fnUntraced(function* (vendor: TestVendor, remaining?: number) {
  const server = yield* startVendor(vendor, slipsOf(vendor.slipData, known), remaining)
  const gateway = yield* vendor.makeGateway(server.url)
  return { server, gateway, ask: (question: SlipQuestion) => gateway.verify(question) }
})

const page = "<html><body>ขออภัย Service unavailable</body></html>"

describe.each([easyslip, thunder, slipok, slip2go, rdcw])("the gateway $name", (vendor) => {
  const { prefix, title } = vendor

  const answering = Effect.fnUntraced(function* (reply: Reply) {
    const { ask, server } = yield* given(vendor)
    server.override("slip", (_, response) => send(response, reply))
    return yield* ask(known)
  })

  it.effect("finds a slip, and keeps the unchanged body", function* () {
    const { ask } = yield* given(vendor)

    const { answer, gateway, upstream } = yield* ask(known)

    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    assert.strictEqual(gateway, vendor.name)
    assert.strictEqual(answer.transfer.amount, 150_050)
    assert.strictEqual(upstream, JSON.stringify(vendor.found(vendor.slipData(known)).body))
  })

  it.effect("says how far a slip that is not found can be believed", function* () {
    const { ask } = yield* given(vendor)
    const { answer, upstream } = yield* ask(unknown)
    assert.deepStrictEqual(answer, vendor.isWeak ? { _tag: "NotFound", isWeak: true } : { _tag: "NotFound" })
    assert.strictEqual(upstream, JSON.stringify(vendor.notFound.body))
  })

  it.effect.each(
    [
      ["an error page", { status: 503, body: page }, /HTTP 503: a server error/u],
      [
        "a page instead of an answer",
        { status: 200, body: page },
        /HTTP 200 without a known answer; check \w+_BASE_URL/u
      ],
      [
        "truncated JSON",
        { status: 200, body: `{"success":true,"valid":true,"code":"200000","data":{` },
        /HTTP 200 without/u
      ],
      ["an empty JSON object", { status: 200, body: {} }, /no known code with HTTP 200/u],
      [
        "a redirect",
        { status: 302, headers: { location: "/elsewhere" }, body: "" },
        /HTTP 302 without a known answer/u
      ],
      ["a path that does not exist", { status: 404, body: {} }, /HTTP 404: no such page; check \w+_BASE_URL/u],
      ["too many requests", { status: 429, body: {} }, /HTTP 429: too many requests; try a lower \w+_CONCURRENCY/u],
      ["256 KiB and one byte", { status: 200, body: "x".repeat(262_145) }, /sent more than 262144 bytes/u]
    ] as ReadonlyArray<readonly [string, Reply, RegExp]>
  )("gives no verdict for %s", function* ([, reply, why]) {
    const answer = yield* answering(reply)
    assertUnavailable(answer, why)
    assert.notMatch(JSON.stringify(answer.answer), /ขออภัย|unavailable</u)
  })

  it.effect("gives no verdict for an answer about another slip", function* () {
    const reply = yield* answering(vendor.found(vendor.slipData(unknown)))
    assertUnavailable(reply, new RegExp(`^${title} answered about another slip`, "u"))
  })

  it.effect("gives no verdict for a closed connection, and does not ask twice", function* () {
    const { ask, server } = yield* given(vendor)
    yield* ask(known)
    server.override("slip", (_, response) => response.destroy())
    assertUnavailable(yield* ask(known), /closed the connection/u)
    assert.lengthOf(server.requests("slip"), 2)
  })

  it.effect("gives no verdict without an answer in time", function* () {
    const { ask, server } = yield* given(vendor)
    server.override("slip", () => {})
    const arrived = yield* Effect.forkChild(server.next("slip"), { startImmediately: true })
    const fiber = yield* Effect.forkChild(ask(known))
    yield* Fiber.join(arrived)
    yield* TestClock.adjust("5 seconds")
    assertUnavailable(yield* Fiber.join(fiber), new RegExp(`${title} gave no answer within 5000 ms`, "u"))
  })

  it.effect("names the setting to check when the key is refused, and does not ask again", function* () {
    const { ask, server } = yield* given(vendor)
    server.override("slip", (_, response) => send(response, vendor.wrongKey))

    const { answer } = yield* ask(known)
    assert(answer._tag === "NotAuthorised", `the answer was ${answer._tag}`)
    assert.strictEqual(answer.cause, "key")
    assert.match(answer.why, new RegExp(`check ${prefix}_`, "u"))

    assert.strictEqual((yield* ask(known)).answer._tag, "NotAuthorised")
    assert.lengthOf(server.requests("slip"), 1)
  })

  it.effect("is not asked without questions left, and is asked again after ten minutes when it accepts the account", function* () {
    const { ask, server } = yield* given(vendor)
    server.override("slip", (_, response) => send(response, vendor.usedUp))
    for (let times = 0; times < 2; times++) {
      assert.strictEqual((yield* ask(known)).answer._tag, "QuotaExhausted")
    }
    assert.lengthOf(server.requests("slip"), 1)

    server.override("slip")
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
    assert.lengthOf(server.requests("account"), vendor.account === undefined ? 0 : 1)
  })

  it.effect("keeps its secrets out of answers, evidence and log lines, also when the vendor sends them back", function* () {
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
    for (const status of [200, 400, 401, 500]) {
      const { ask, gateway, server } = yield* given(vendor)
      for (const kind of ["slip", "account"] as const) {
        server.override(kind, ({ body, headers }, response) => {
          assert.isTrue(vendor.secrets.some((secret) => JSON.stringify(headers).includes(secret)))
          send(response, {
            status,
            body: { code: vendor.secrets[0], message: { headers, body }, data: vendor.secrets }
          })
        })
      }
      const reply = yield* Effect.provide(ask(known), logged)
      const account = yield* Effect.provide(Effect.result(gateway.account ?? Effect.void), logged)
      assert.include(reply.upstream ?? "", "***")
      const texts = [...lines, JSON.stringify([reply, account, gateway.status(0)])]
      for (const secret of vendor.secrets) assert.notInclude(texts.join("\n"), secret)
    }
    // HTTP 401 is logged, because the operator must act.
    assert.isNotEmpty(lines)
  })

  it.effect("is checked without a question about a slip", function* () {
    const { gateway, server } = yield* given(vendor)
    yield* gateway.check
    assert.lengthOf(server.requests("slip"), 0)
    assert.lengthOf(server.requests("account"), vendor.account === undefined ? 0 : 1)
  })

  it.effect("knows the slips of all banks, and what its vendor charges", function* () {
    const { traits } = (yield* given(vendor)).gateway
    assert.deepInclude(traits, { family: vendor.family, knowsAllSlips: true })
    assert.isDefined(traits.charges)
  })
})

describe("a question to", () => {
  const asked = Effect.fnUntraced(function* (vendor: TestVendor) {
    const { ask, server } = yield* given(vendor)
    yield* ask(known)
    const [request] = server.requests("slip")
    assert.isDefined(request)
    const { body, headers, url } = request
    assert.strictEqual(headers["content-type"], "application/json")
    return { url, body: JSON.parse(body) }
  })

  it.effect.each([easyslip, thunder])("$title asks for a free repeat and nothing else", function* (vendor) {
    assert.deepStrictEqual(yield* asked(vendor), {
      url: "/verify/bank",
      body: { payload: known.payload, checkDuplicate: true }
    })
  })

  it.effect("SlipOK stores nothing and has the QR text only", function* () {
    assert.deepStrictEqual(yield* asked(slipok), {
      url: `/${SLIPOK_BRANCH_ID}`,
      body: { data: known.payload, log: false }
    })
  })

  it.effect("Slip2Go asks for a free repeat", function* () {
    assert.deepStrictEqual(yield* asked(slip2go), {
      url: "/verify-slip/qr-code/info",
      body: { payload: { qrCode: known.payload, checkCondition: { checkDuplicate: true } } }
    })
  })

  it.effect("RDCW has the QR text only", function* () {
    assert.deepStrictEqual(yield* asked(rdcw), { url: "/inquiry", body: { payload: known.payload } })
  })
})

describe("the package of SlipOK", () => {
  it.effect("ends the questions with its last one", function* () {
    const { ask, gateway, server } = yield* given(slipok, 1)
    yield* gateway.pollAccount ?? Effect.die("no account")
    server.override("account", (_, response) => send(response, slipok.account?.(0) ?? slipok.wrongKey))
    const read = yield* Effect.forkChild(server.next("account"), { startImmediately: true })

    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
    yield* Fiber.join(read)
    while (gateway.status(0).pause === undefined) yield* Effect.promise(() => setImmediate())

    assert.strictEqual((yield* ask(known)).answer._tag, "QuotaExhausted")
    assert.lengthOf(server.requests("slip"), 1)
  })

  it.effect("ends the questions when it is used up, because SlipOK would bill further ones", function* () {
    const { ask, gateway, server } = yield* given(slipok, 0)
    yield* Effect.flip(gateway.pollAccount ?? Effect.die("no account"))

    const { answer } = yield* ask(known)

    assert.strictEqual(answer._tag, "QuotaExhausted")
    assert.lengthOf(server.requests("slip"), 0)
  })

  it.effect("does not end the questions when the owner pays for more", function* () {
    const { ask, gateway } = yield* given(slipokOverQuota, 0)
    yield* gateway.pollAccount ?? Effect.die("no account")
    assert.strictEqual((yield* ask(known)).answer._tag, "Found")
  })
})

describe("the package of RDCW", () => {
  it.effect("is known after an answer", function* () {
    const { ask, gateway } = yield* given(rdcw)
    assert.isUndefined(gateway.status(0).account)
    yield* ask(known)
    assert.deepStrictEqual(gateway.status(0).account, { remaining: 380, limit: 500, expiresAt: null })
  })
})
