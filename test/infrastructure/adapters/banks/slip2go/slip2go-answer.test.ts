import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  readSlip2goAccount,
  readSlip2goAnswer
} from "../../../../../infrastructure/adapters/banks/slip2go/slip2go-answer.ts"
import type { UpstreamResponse } from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { SlipQuestion } from "../../../../../ports/bank-gateway.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"
import { slip2goSlipData } from "../../../../support/banks/slip-data.ts"
import { assertFixture, readingWith, respond } from "../../../../support/banks/vendor-answers.ts"
import { vendorFixtures } from "../../../../support/banks/vendor-fixtures.ts"

const NOW = Date.parse("2026-11-22T12:00:00Z")
const read = (response: UpstreamResponse, question: SlipQuestion) => readSlip2goAnswer(response, question, NOW)
const slips = vendorFixtures("slip2go", "slip")
const accounts = vendorFixtures("slip2go", "account")

const question = questionOf("004", "016325154500APP00001")
const { answerOf, assertNoVerdict, failureOf, transferOf } = readingWith(read, question)
const found = (changes: object = {}, code = "200000") =>
  respond(200, { code, message: "Slip found", data: slip2goSlipData(question, changes) })

describe("the answers of Slip2Go", () => {
  it("are those of the fixtures", () => {
    assert.lengthOf(slips, 19)
    assert.lengthOf(accounts, 1)
  })

  it.each(slips)("have the expected outcome: $file", (fixture) => assertFixture(read, fixture))

  it.each(
    [
      ["another reference", { transRef: "016325154500APP00002" }, /another slip/u],
      ["no reference", { transRef: null }, /another slip/u],
      ["another sending bank", { sender: { bank: { id: "014" } } }, /another slip/u],
      ["no amount", { amount: undefined }, /without a valid amount/u],
      ["an amount of 0", { amount: 0 }, /without a valid amount/u],
      ["three decimals", { amount: 1.005 }, /without a valid amount/u],
      ["no time", { dateTime: null }, /without a valid time/u],
      ["a time without an offset", { dateTime: "2026-11-21T15:45:00" }, /without a valid time/u],
      ["a day only", { dateTime: "2026-11-21" }, /without a valid time/u],
      ["a time of Bangkok marked as UTC", { dateTime: "2026-11-21T15:45:00.000Z" }, /wrong time zone/u],
      ["UTC marked as Bangkok", { dateTime: "2026-11-21T08:45:00+07:00" }, /wrong time zone/u],
      ["a time in the future", { dateTime: "2026-11-22T12:06:00.000Z" }, /wrong time zone/u]
    ] as const
  )("are no verdict with %s", (_, changes, why) => {
    assert.strictEqual(assertNoVerdict(found(changes), why).concerns, "slip")
  })

  it("are no verdict for a new transfer of any bank with a time of Bangkok marked as UTC", () => {
    const other = questionOf("006", "C20261122000000000001")
    const at = (dateTime: string) => respond(200, { code: "200000", data: slip2goSlipData(other, { dateTime }) })
    const reader = readingWith(read, other)
    assert.match(reader.failureOf(at("2026-11-22T18:59:00.000Z")).why, /wrong time zone/u)
    assert.match(
      reader.logOf(at("2026-11-22T18:59:00.000Z")).join("\n"),
      /level=ERROR.*Slip2Go sends times in a wrong/u
    )
    assert.isEmpty(reader.logOf(at("2026-11-22T11:59:00.000Z")))
    assert.strictEqual(reader.transferOf(at("2026-11-22T11:59:00.000Z")).transferredAt, "2026-11-22T18:59:00+07:00")
  })

  it("are no verdict without the slip, or with the wrong status", () => {
    for (
      const [response, why] of [
        [respond(200, { code: "200000" }), /another slip or did not name the slip/u],
        [respond(200, { code: "200402", data: null }), /another slip or did not name the slip/u],
        [respond(200, { data: slip2goSlipData(question) }), /no known code/u],
        [respond(500, { code: "200404" }), /code 200404 with HTTP 500: a server error/u],
        [respond(200, "[]"), /no known code/u],
        [respond(200, "200404"), /without a known answer; check SLIP2GO_BASE_URL/u]
      ] as const
    ) assert.isUndefined(assertNoVerdict(response, why).refusal)
  })

  it("count as free when the slip was found before", () => {
    assert.isFalse(answerOf(found({}, "200501")).isCharged)
    assert.isUndefined(answerOf(found()).isCharged)
  })

  it("read any offset, amounts as text, and the misspelled type of an e-wallet", () => {
    const { amount, receiver, sender, transferredAt } = transferOf(found({
      dateTime: "2026-11-21T15:45:00+07:00",
      amount: "1,500.50",
      sender: null,
      receiver: {
        account: { name: "MISS SOMYING T", bank: null, proxy: { type: "EWALLTID", account: "xxx-xxxxxxxx-1234" } },
        bank: { id: null, name: null }
      }
    }))
    assert.strictEqual(amount, 150_050)
    assert.strictEqual(transferredAt, "2026-11-21T15:45:00+07:00")
    assert.deepStrictEqual(sender, {
      bank: { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" },
      account: { name: {} }
    })
    assert.deepStrictEqual(receiver, {
      bank: { id: "", name: "", short: "" },
      account: { name: { en: "MISS SOMYING T" }, proxy: { type: "EWALLETID", account: "xxx-xxxxxxxx-1234" } },
      merchantId: null
    })
  })

  it("name the setting to change, and never quote Slip2Go's text", () => {
    const whyOf = (status: number, code: unknown) => failureOf(respond(status, { code, message: "SOMCHAI" })).why
    assert.match(whyOf(200, "401001"), /code 401001 with HTTP 200: .*check SLIP2GO_API_SECRET$/u)
    assert.match(whyOf(200, "401007"), /the address of this server/u)
    assert.match(whyOf(401, "401999"), /code 401999 with HTTP 401: the account is refused/u)
    assert.match(whyOf(200, "200999"), /code 200999 with HTTP 200: the meaning of this code is unknown/u)
    assert.match(whyOf(200, "SOMCHAI T"), /^Slip2Go answered no known code with HTTP 200/u)
  })
})

describe("the account at Slip2Go", () => {
  const accountOf = (status: number, body: unknown) => readSlip2goAccount(respond(status, body), NOW)

  it.each(accounts)("is that of the fixture $file", ({ expected, response }) => {
    assert.deepStrictEqual(Effect.runSync(readSlip2goAccount(response, NOW)), {
      remaining: expected.remaining ?? null,
      limit: expected.limit ?? null,
      expiresAt: Date.parse("2026-12-01T00:00:00Z")
    })
  })

  it("is the credit where slips are paid by credit", () => {
    const data = { checkSlipByCredit: true, quotaLimit: 400, quotaRemaining: 35, creditRemaining: "12" }
    assert.deepStrictEqual(Effect.runSync(accountOf(200, { code: 200_001, data })), {
      remaining: 12,
      limit: null,
      expiresAt: null
    })
  })

  it("is unknown without a count, and refused with the code of a refusal", () => {
    const failureFor = (status: number, body: unknown) => Effect.runSync(Effect.flip(accountOf(status, body)))
    assert.match(failureFor(200, { code: "200001", data: {} }).why, /not how many questions are left/u)
    assert.strictEqual(failureFor(200, { code: "401004" }).refusal, "account")
    assert.match(failureFor(200, "<html>").why, /check SLIP2GO_BASE_URL/u)
  })
})
