import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { satang } from "../../../../../domain/money.ts"
import {
  readEasySlipAccount,
  readEasySlipAnswer
} from "../../../../../infrastructure/adapters/banks/easyslip/easyslip-answer.ts"
import type { UpstreamResponse } from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { SlipQuestion } from "../../../../../ports/bank-gateway.ts"
import { assertFixture, readingWith, respond } from "../../../../support/banks/vendor-answers.ts"
import { vendorFixtures } from "../../../../support/banks/vendor-fixtures.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"

const vendor = { title: "EasySlip", prefix: "EASYSLIP" }
const NOW = Date.parse("2026-11-22T12:00:00Z")
const vendors = ["easyslip", "easyslip-v1", "thunder"]
const slips = vendors.flatMap((name) => vendorFixtures(name, "slip"))
const accounts = vendors.flatMap((name) => vendorFixtures(name, "account"))

const question = questionOf("004", "016326101500APP00001")

const read = (response: UpstreamResponse, about: SlipQuestion) => readEasySlipAnswer(vendor, response, about, NOW)

const { answerOf, assertNoVerdict, failureOf, logOf, transferOf } = readingWith(read, question)

const rawSlip = (changes: object = {}) => ({
  transRef: question.transRef,
  date: "2026-11-22T10:15:00+07:00",
  amount: { amount: 1500.5 },
  ...changes
})

const found = (changes: object = {}) => respond(200, { success: true, data: { rawSlip: rawSlip(changes) } })

describe("the answers of EasySlip and Thunder", () => {
  it("are those of the fixtures", () => {
    assert.lengthOf(slips, 31)
    assert.lengthOf(accounts, 3)
  })

  it.each(slips)("have the expected outcome: $file", (fixture) => assertFixture(read, fixture))

  it.each(accounts)("state the account: $file", ({ expected, response }) => {
    const account = Effect.runSync(readEasySlipAccount(vendor, response, NOW))
    assert.deepStrictEqual(account, {
      remaining: expected.remaining ?? null,
      limit: expected.limit ?? null,
      expiresAt: Date.parse("2026-12-01T00:00:00Z") - (response.text.includes("+07:00") ? 7 * 3_600_000 : 0)
    })
  })

  it.each(
    [
      ["no amount", { amount: {} }, /without a valid amount/u],
      ["an amount of 0", { amount: { amount: 0 } }, /without a valid amount/u],
      ["three decimals", { amount: { amount: 1.005 } }, /without a valid amount/u],
      ["no time", { date: undefined }, /without a valid time/u],
      ["a time without an offset", { date: "2026-11-22T10:15:00" }, /without a valid time/u],
      ["a day only", { date: "2026-11-22" }, /without a valid time/u],
      ["a time of Bangkok written as UTC", { date: "2026-11-22T10:15:00Z" }, /its time is in a wrong time zone/u],
      ["no reference", { transRef: undefined }, /another slip/u],
      ["the reference in small letters", { transRef: question.transRef.toLowerCase() }, /another slip/u],
      ["another sending bank", { sender: { bank: { id: "014" } } }, /another slip/u]
    ] as const
  )("are no verdict with %s", (_, changes, why) => {
    assert.strictEqual(assertNoVerdict(found(changes), why).concerns, "slip")
  })

  it("alarm the operator about a wrong time zone", () => {
    assert.match(logOf(found({ date: "2026-11-22T10:15:00Z" })).join(), /EasySlip sends times in a wrong time zone/u)
    assert.deepStrictEqual(logOf(found()), [])
  })

  it("are no verdict without the slip, or with the wrong status", () => {
    for (
      const [response, why] of [
        [respond(200, { success: true, data: null }), /another slip or did not name the slip/u],
        [respond(200, { success: true }), /another slip or did not name the slip/u],
        [respond(200, { success: false, data: { rawSlip: rawSlip() } }), /no known code/u],
        [respond(500, { success: true, data: { rawSlip: rawSlip() } }), /no known code with HTTP 500/u],
        [respond(409, { success: false, error: { code: "DUPLICATE_SLIP" } }), /had this slip before/u],
        [respond(500, { success: false, error: { code: "SLIP_NOT_FOUND" } }), /the status of a failure/u],
        [respond(503, { success: false, error: { code: "SLIP_PENDING" } }), /the status of a failure/u],
        [respond(200, "[]"), /no known code/u],
        [respond(200, `"SLIP_NOT_FOUND"`), /without a known answer; check EASYSLIP_BASE_URL/u]
      ] as const
    ) assert.isUndefined(assertNoVerdict(response, why).refusal)
  })

  it("read a duplicate that carries its slip", () => {
    const body = { success: false, error: { code: "DUPLICATE_SLIP" }, data: { rawSlip: rawSlip() } }
    assert.strictEqual(transferOf(respond(409, body)).amount, 150_050)
  })

  it("read any offset, amounts as text, and parties in KBank's words", () => {
    const transfer = transferOf(found({
      date: "2026-11-22T03:15:00.000Z",
      amount: { amount: "1,500.50", local: { amount: 1500.5, currency: "THB" } },
      fee: "5.00",
      sender: {
        displayName: "นาย สมชาย ท",
        name: "MR. SOMCHAI T",
        account: { type: "BANKAC", value: "xxx-x-x4321-x" }
      },
      receiver: { displayName: "MISS SOMYING T", proxy: { type: "MSISDN", value: "xxx-xxx-1234" }, account: null }
    }))
    assert.deepStrictEqual(transfer, {
      transRef: question.transRef,
      sendingBank: "004",
      transferredAt: "2026-11-22T10:15:00+07:00",
      countryCode: "TH",
      amount: satang(150_050),
      fee: satang(500),
      ref1: "",
      ref2: "",
      ref3: "",
      sender: {
        bank: { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" },
        account: {
          name: { th: "นาย สมชาย ท", en: "MR. SOMCHAI T" },
          bank: { type: "BANKAC", account: "xxx-x-x4321-x" }
        }
      },
      receiver: {
        bank: { id: "", name: "", short: "" },
        account: { name: { en: "MISS SOMYING T" }, proxy: { type: "MSISDN", account: "xxx-xxx-1234" } },
        merchantId: null
      }
    })
  })

  it("name the setting to change, and never quote the vendor's text", () => {
    const whyOf = (status: number, code: string) =>
      failureOf(respond(status, { success: false, error: { code, message: "SOMCHAI" } })).why
    assert.match(whyOf(401, "INVALID_API_KEY"), /code INVALID_API_KEY with HTTP 401: .*check EASYSLIP_API_KEY$/u)
    assert.match(whyOf(403, "IP_NOT_ALLOWED"), /add its IPv4 address in the portal of EasySlip$/u)
    assert.match(whyOf(404, "NOT_FOUND"), /check EASYSLIP_BASE_URL$/u)
    assert.match(whyOf(403, "SERVICE_EXPIRED"), /code SERVICE_EXPIRED with HTTP 403: the account is refused/u)
    assert.match(whyOf(400, "SOMETHING_NEW"), /code SOMETHING_NEW with HTTP 400: the meaning of this code is unknown/u)
    for (const text of ["SOMCHAI", "0812345678", "a9ba6e4b-3a51-4d8e-9d3a-2b8a5f0e7c11", "SOMCHAI T"]) {
      assert.match(whyOf(400, text), /^EasySlip answered no known code with HTTP 400/u)
    }
  })

  it("state the delay of the vendor for a slip that is too new", () => {
    const response = respond(404, { success: false, error: { code: "SLIP_PENDING" } })
    assert.deepStrictEqual(answerOf({ ...response, retryAfter: "17" }).answer, {
      _tag: "Pending",
      retryAfterSeconds: 17
    })
  })

  it.each(
    [
      [200, { success: true, data: {} }],
      [200, { success: true, data: { application: { quota: { remaining: "many" } } } }],
      [200, "<html>"],
      [401, { success: false, error: { code: "INVALID_API_KEY" } }]
    ] as const
  )("are no account for HTTP %d with %o", (status, body) => {
    const result = Effect.runSync(Effect.result(readEasySlipAccount(vendor, respond(status, body), NOW)))
    assert(Result.isFailure(result), "an account was read")
    assert.strictEqual(result.failure.refusal, status === 401 ? "key" : undefined)
    assert.strictEqual(result.failure.concerns, "gateway")
  })
})
