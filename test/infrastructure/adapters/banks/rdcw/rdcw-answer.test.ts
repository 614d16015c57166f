import { assert, describe, it } from "@effect/vitest"
import { readRdcwAnswer } from "../../../../../infrastructure/adapters/banks/rdcw/rdcw-answer.ts"
import type { UpstreamResponse } from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { SlipQuestion } from "../../../../../ports/bank-gateway.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"
import { kbankSlipData } from "../../../../support/banks/slip-data.ts"
import { assertFixture, readingWith, respond } from "../../../../support/banks/vendor-answers.ts"
import { vendorFixtures } from "../../../../support/banks/vendor-fixtures.ts"

const NOW = Date.parse("2026-11-22T12:00:00Z")
const read = (response: UpstreamResponse, question: SlipQuestion) => readRdcwAnswer(response, question, NOW)
const slips = vendorFixtures("rdcw", "slip")

const question = questionOf("004", "016325154500APP00001")
const { answerOf, assertNoVerdict, failureOf } = readingWith(read, question)
const found = (changes: object = {}, envelope: object = {}) =>
  respond(200, { valid: true, data: kbankSlipData(question, changes), ...envelope })

describe("the answers of RDCW", () => {
  it("are those of the fixtures", () => {
    assert.lengthOf(slips, 14)
  })

  it.each(slips)("have the expected outcome: $file", (fixture) => assertFixture(read, fixture))

  it.each(
    [
      ["another reference", { transRef: "016325154500APP00002" }, /another slip/u],
      ["another sending bank", { sendingBank: "014" }, /another slip/u],
      ["no amount", { amount: "" }, /without a valid amount/u],
      ["no time", { transDate: null }, /without a valid time/u],
      ["a time in UTC", { transTime: "08:45:00" }, /wrong time zone/u]
    ] as const
  )("are no verdict with %s", (_, changes, why) => {
    assert.strictEqual(assertNoVerdict(found(changes), why).concerns, "slip")
  })

  it("are no verdict without the slip, about another slip, or with the wrong status", () => {
    const refusal = { valid: false, data: null, discriminator: "004.016325154500APP00002" }
    for (
      const [response, why] of [
        [respond(200, { valid: true, data: null }), /another slip or did not name the slip/u],
        [respond(200, refusal), /about another slip/u],
        [found({}, { code: 2002 }), /gave no answer/u],
        [found({}, { valid: "true" }), /no known code/u],
        [respond(500, { valid: false }), /no known code with HTTP 500: a server error/u],
        [respond(503, { code: 2006 }), /code 2006 with HTTP 503: a server error/u],
        [respond(200, "[]"), /no known code/u],
        [respond(200, "2006"), /without a known answer; check RDCW_BASE_URL/u]
      ] as const
    ) assert.isUndefined(assertNoVerdict(response, why).refusal)
  })

  it("state what is left of the package, and whether the question was charged", () => {
    const quota = { cost: 1, usage: 120, limit: 500 }
    const withQuota = (quota: object, envelope: object = {}) => answerOf(found({}, { quota, ...envelope }))
    assert.deepInclude(withQuota(quota), {
      isCharged: true,
      account: { remaining: 380, limit: 500, expiresAt: null }
    })
    assert.isFalse(withQuota({ ...quota, cost: 0 }).isCharged)
    assert.deepInclude(withQuota({ ...quota, usage: "501" }).account, { remaining: 0 })
    assert.deepInclude(withQuota(quota, { subscription: { postpaid: true } }).account, { remaining: null })
    assert.deepInclude(answerOf(respond(200, { valid: false, quota })), {
      answer: { _tag: "NotFound", isWeak: true },
      isCharged: true
    })
    const without = answerOf(found())
    assert.isUndefined(without.account)
    assert.isUndefined(without.isCharged)
  })

  it("name the setting to change, and never quote RDCW's text", () => {
    const whyOf = (status: number, code: unknown) => failureOf(respond(status, { code, message: "SOMCHAI" })).why
    assert.match(whyOf(400, 1001), /code 1001 with HTTP 400: .*check RDCW_CLIENT_ID and RDCW_CLIENT_SECRET$/u)
    assert.match(whyOf(400, 0), /code 0 with HTTP 400: RDCW does not accept the question/u)
    assert.match(whyOf(400, 2999), /code 2999 with HTTP 400: the meaning of this code is unknown/u)
    assert.match(whyOf(400, "SOMCHAI T"), /^RDCW answered no known code with HTTP 400/u)
  })
})
