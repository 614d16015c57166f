import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  readSlipokAccount,
  readSlipokAnswer
} from "../../../../../infrastructure/adapters/banks/slipok/slipok-answer.ts"
import type { UpstreamResponse } from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { SlipQuestion } from "../../../../../ports/bank-gateway.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"
import { kbankSlipData } from "../../../../support/banks/slip-data.ts"
import { assertFixture, readingWith, respond } from "../../../../support/banks/vendor-answers.ts"
import { vendorFixtures } from "../../../../support/banks/vendor-fixtures.ts"

const NOW = Date.parse("2026-11-22T12:00:00Z")
const read = (response: UpstreamResponse, question: SlipQuestion) => readSlipokAnswer(response, question, NOW)
const slips = vendorFixtures("slipok", "slip")
const accounts = vendorFixtures("slipok", "account")

const question = questionOf("004", "016325154500APP00001")
const { answerOf, assertNoVerdict, failureOf, transferOf } = readingWith(read, question)

const found = (changes: object = {}, envelope: object = {}) =>
  respond(200, {
    success: true,
    data: { ...kbankSlipData(question), success: true, transTimestamp: "2026-11-21T08:45:00.000Z", ...changes },
    ...envelope
  })

describe("the answers of SlipOK", () => {
  it("are those of the fixtures", () => {
    assert.lengthOf(slips, 16)
    assert.lengthOf(accounts, 1)
  })

  it.each(slips)("have the expected outcome: $file", (fixture) => assertFixture(read, fixture))

  it.each(
    [
      ["another reference", { transRef: "016325154500APP00002" }, /another slip/u],
      ["the reference in small letters", { transRef: question.transRef.toLowerCase() }, /another slip/u],
      ["another sending bank", { sendingBank: "014" }, /another slip/u],
      ["no amount", { amount: null }, /without a valid amount/u],
      ["an amount of 0", { amount: 0 }, /without a valid amount/u],
      ["no time", { transTime: "" }, /without a valid time/u],
      ["a time in UTC", { transTime: "08:45:00" }, /two times that contradict each other/u],
      [
        "a timestamp in Bangkok",
        { transTimestamp: "2026-11-21T15:45:00.000Z" },
        /two times that contradict each other/u
      ],
      ["times in UTC only", { transTime: "08:45:00", transTimestamp: "" }, /wrong time zone/u],
      ["data that states no success", { success: false }, /did not confirm the slip/u]
    ] as const
  )("are no verdict with %s", (_, changes, why) => {
    assert.strictEqual(assertNoVerdict(found(changes), why).concerns, "slip")
  })

  it("are no verdict without the slip, with a code beside success, or with the wrong status", () => {
    for (
      const [response, why] of [
        [respond(200, { success: true }), /another slip or did not name the slip/u],
        [respond(400, { success: false, code: 1012 }), /another slip or did not name the slip/u],
        [found({}, { code: 1000 }), /does not accept the question/u],
        [found({}, { success: false }), /no known code/u],
        [respond(500, { success: false, code: 1011 }), /code 1011 with HTTP 500: a server error/u],
        [respond(200, "[]"), /no known code/u],
        [respond(200, "1011"), /without a known answer; check SLIPOK_BASE_URL/u]
      ] as const
    ) assert.isUndefined(assertNoVerdict(response, why).refusal)
  })

  it("accept a slip without the timestamp", () => {
    assert.strictEqual(transferOf(found({ transTimestamp: null })).transferredAt, "2026-11-21T15:45:00+07:00")
  })

  it.each([[5, 300], [1, 60], [0.5, 30], ["2", 120], [60, 300], [0, 120], ["soon", 120], [undefined, 120]])(
    "with the delay %s in minutes are pending for %d seconds",
    (delay, retryAfterSeconds) => {
      const { answer } = answerOf(respond(400, { success: false, code: 1010, data: { delay } }))
      assert.deepStrictEqual(answer, { _tag: "Pending", retryAfterSeconds })
    }
  )

  it("name the setting to change, and never quote SlipOK's text", () => {
    const whyOf = (status: number, code: unknown) => failureOf(respond(status, { code, message: "SOMCHAI" })).why
    assert.match(whyOf(401, 1002), /code 1002 with HTTP 401: .*check SLIPOK_API_KEY$/u)
    assert.match(whyOf(400, "1001"), /check SLIPOK_BRANCH_ID$/u)
    assert.match(whyOf(400, 4711), /code 4711 with HTTP 400: the meaning of this code is unknown/u)
    assert.match(whyOf(400, "SOMCHAI T"), /^SlipOK answered no known code with HTTP 400/u)
  })
})

describe("the account at SlipOK", () => {
  const accountOf = (data: object, overQuota = false) =>
    Effect.runSync(readSlipokAccount(respond(200, { success: true, data }), overQuota, NOW))
  const failureFor = (status: number, body: unknown) =>
    Effect.runSync(Effect.flip(readSlipokAccount(respond(status, body), false, NOW)))

  it.each(accounts)("is that of the fixture $file", ({ expected, response }) => {
    assert.deepStrictEqual(Effect.runSync(readSlipokAccount(response, false, NOW)), {
      remaining: expected.remaining ?? Number.NaN,
      limit: null,
      // The last day of the package belongs to it.
      expiresAt: Date.parse("2026-11-30T23:59:59.999+07:00")
    })
  })

  it("has no questions left when the package is used up, unless the owner pays for more", () => {
    const usedUp = { quota: 0, overQuota: 3 }
    assert.deepStrictEqual(accountOf(usedUp), { remaining: 0, limit: null, expiresAt: null })
    assert.deepStrictEqual(accountOf(usedUp, true), { remaining: null, limit: null, expiresAt: null })
    assert.deepInclude(accountOf({ quota: 0, specialQuota: "4" }), { remaining: 4 })
    assert.deepInclude(accountOf({ quota: 7 }, true), { remaining: 7 })
  })

  it("is unknown without a count, and refused with the code of a refusal", () => {
    assert.match(failureFor(200, { success: true, data: { quota: "many" } }).why, /not how many questions are left/u)
    assert.strictEqual(failureFor(400, { success: false, code: 1003 }).refusal, "account")
    assert.match(failureFor(200, "<html>").why, /check SLIPOK_BASE_URL/u)
  })
})
