import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { satang } from "../../../../../domain/money.ts"
import { readEasySlipWalletAnswer } from "../../../../../infrastructure/adapters/banks/easyslip/easyslip-answer.ts"
import { bodyOf, fixture } from "../../../../support/vendors/fixtures.ts"
import { walletQuestion } from "../../../../support/views.ts"

const transactionId = "50000000000001"

const question = walletQuestion(transactionId)

const ask = (status: number, body: unknown) =>
  Effect.runSync(Effect.result(readEasySlipWalletAnswer(
    { title: "EasySlip", prefix: "EASYSLIP" },
    { status, retryAfter: undefined, text: typeof body === "string" ? body : JSON.stringify(body) },
    question,
    Date.parse("2026-11-22T12:00:00Z")
  )))

const answerTo = (status: number, body: unknown) => {
  const result = ask(status, body)
  assert(Result.isSuccess(result), JSON.stringify(result))
  return result.success.answer
}

const failureOf = (status: number, body: unknown) => {
  const result = ask(status, body)
  assert(Result.isFailure(result), JSON.stringify(result))
  return result.failure
}

const foundFixture = fixture("easyslip/truewallet-found.json")
const { data: { rawSlip } } = JSON.parse(bodyOf(foundFixture))

const found = (changes: object) => ({ success: true, data: { rawSlip: { ...rawSlip, ...changes } } })

describe("the answers of EasySlip and Thunder about TrueMoney slips", () => {
  it.each([
    ["version 2", bodyOf(foundFixture)],
    ["version 1", { status: 200, data: rawSlip }],
    ["an amount as text", found({ amount: "99.00" })],
    ["a time in UTC", found({ date: "2026-11-22T03:15:00Z" })],
    ["a duplicate of version 1", { status: 400, message: "duplicate_slip", data: rawSlip }]
  ])("are found: %s", (_, body) => {
    const answer = answerTo(200, body)
    assert(answer._tag === "Found", answer._tag)
    const wallet = { id: "TRUEMONEY", name: "ทรูมันนี่ วอลเล็ท", short: "TRUEMONEY" }
    assert.deepInclude(answer.transfer, {
      transRef: question.transRef,
      sendingBank: "TRUEMONEY",
      transferredAt: "2026-11-22T10:15:00+07:00",
      amount: satang(99_00),
      sender: { bank: wallet, account: { name: { th: "สมชาย ***" } } },
      receiver: {
        bank: wallet,
        account: { name: { th: "มานี ***" }, proxy: { type: "MSISDN", account: "080-***-1234" } },
        merchantId: null
      }
    })
  })

  it.each([
    ["another transaction", { transactionId: "50000000000002" }, /another slip/u],
    ["no transaction", { transactionId: undefined }, /another slip/u],
    ["no amount", { amount: 0 }, /valid amount/u],
    ["no time", { date: "" }, /valid time/u],
    ["a time without an offset", { date: "2026-11-22T10:15:00" }, /valid time/u]
  ])("are no verdict with %s", (_, changes, why) => {
    const failure = failureOf(200, found(changes))
    assert.match(failure.why, why)
    assert.strictEqual(failure.concerns, "slip")
  })

  const firstVersion = ["invalid_transaction_id", "invalid_amount", "invalid_sender_name", "invalid_receiver_name"]

  it.each<{ readonly body: unknown; readonly status: number }>([
    { status: 404, body: bodyOf(fixture("easyslip/truewallet-not-found.json")) },
    { status: 404, body: { status: 404, message: "slip_not_found" } },
    ...firstVersion.map((message) => ({ status: 400, body: { status: 400, message } })),
    { status: 400, body: { success: false, error: { code: "INVALID_RECEIVER_PHONE", message: "" } } }
  ])("are an uncertain denial when the vendor does not know the slip, or cannot read it: $body", ({ body, status }) => {
    assert.deepStrictEqual(answerTo(status, body), { _tag: "NotFound", isWeak: true })
  })

  it("are no statement when the vendor refuses the picture or the key, or fails", () => {
    const codeOf = (status: number, code: string) => failureOf(status, { success: false, error: { code, message: "" } })
    assert.strictEqual(codeOf(400, "INVALID_IMAGE_FORMAT").concerns, "slip")
    assert.strictEqual(codeOf(401, "INVALID_API_KEY").refusal, "key")
    assert.strictEqual(codeOf(403, "QUOTA_EXCEEDED").refusal, "quota")
    assert.strictEqual(failureOf(502, "<html>").concerns, "gateway")
    assert.strictEqual(codeOf(500, "SLIP_NOT_FOUND").concerns, "gateway")
  })
})
