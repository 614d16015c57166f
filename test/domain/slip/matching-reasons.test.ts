import { assert, describe, it } from "@effect/vitest"
import type { AccountQuestion, ReceivingAccount } from "../../../domain/slip/matching.ts"
import { account, match, type ShownParts } from "./given-receiver.ts"

const reasonsOf = (
  shown: ShownParts,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: Partial<AccountQuestion> = {}
): string => match(shown, accounts, question).reasons.join("\n")

const bangkokBank = (extraVerify: string) => account({ bankCode: "002", extraVerify })
const phone = account({ bankCode: "PROMPTPAY", bankNumber: "0700002468", extraVerify: "MSISDN" })

const PAID_ELSEWHERE =
  "The slip was paid to someone else: do not deliver on it. If the receiver is yours all the same, register that "
  + "account with POST /v2/bank-accounts and verify the slip again."
const UNDECIDED =
  "The slip neither proves nor rules out that it was paid to you: look for the money in your account before you "
  + "deliver. If the receiver is yours and not among these, register that account with POST /v2/bank-accounts."

describe("the reasons", () => {
  it.each<[string, ShownParts, ReceivingAccount]>([
    ["4 visible digits of its number agree", { number: "xxx-x-x1234-x" }, account()],
    [
      "3 visible digits of its number agree, and so does the bank",
      { bankId: "004", number: "xxx-x-xx234-x" },
      account()
    ],
    [
      "3 visible digits of its number agree, and so does the name",
      { th: "สมหมาย ท", number: "xxx-x-xx234-x" },
      account()
    ],
    [
      "4 visible digits of its number agree; the receiver has another name",
      { th: "คนอื่น ท", number: "xxx-x-x1234-x" },
      account()
    ],
    ["the name of the receiver agrees", { th: "สมหมาย ท" }, bangkokBank("NAME")],
    [
      "the name of the receiver agrees, and 4 visible digits of its number agree",
      { th: "สมหมาย ท", number: "xxx-x-x1234-x" },
      bangkokBank("NAME_NUMBER")
    ]
  ])("say what agreed for a match: %s", (because, shown, known) => {
    const bank = known.bankCode === "002" ? "BBL" : "KBANK"
    assert.strictEqual(reasonsOf(shown, [known]), `The account ...2345 at ${bank} is the receiver: ${because}.`)
  })

  it.each<[string, ShownParts, ReceivingAccount]>([
    ["every visible digit (4) disagrees with its number", { number: "xxx-x-x9876-x" }, account()],
    ["1 of 4 visible digits disagrees with its number", { number: "xxx-x-x1235-x" }, account()],
    ["3 of 4 visible digits disagree with its number", { number: "xxx-x-x1987-x" }, account()],
    ["the slip was paid to SCB", { bankId: "014", number: "xxx-x-x1234-x" }, account()],
    ["the slip was paid to another bank", { bankId: "Bank 12345", number: "xxx-x-x1234-x" }, account()],
    ["the receiver has another name", { th: "คนอื่น ท" }, bangkokBank("NAME")],
    [
      "it is known by a phone number (MSISDN), and the slip was paid to an account number and a national ID (NATID)",
      { number: "xxx-x-x1234-x", proxy: ["NATID", "xxxxxxxxx2468"] },
      phone
    ]
  ])("say for no match that it was paid to another receiver: %s", (because, shown, known) => {
    const label = known === phone ? "...2468 at PROMPTPAY" : `...2345 at ${known.bankCode === "002" ? "BBL" : "KBANK"}`
    assert.strictEqual(
      reasonsOf(shown, [known]),
      `The account ${label} is not the receiver: ${because}.\n${PAID_ELSEWHERE}`
    )
  })

  it.each<[string, ShownParts, ReceivingAccount]>([
    [
      "only 3 visible digits of its number agree, and it takes 4, or 3 together with the bank or the name",
      { number: "xxx-x-xx234-x" },
      account()
    ],
    [
      "only 1 visible digit of its number agrees, and it takes 4, or 3 together with the bank or the name; "
      + "the receiver has another name",
      { number: "xxx-x-xxx3x-x", th: "คนอื่น ท" },
      account()
    ],
    ["the slip shows no number of the receiver", {}, account()],
    [
      "the slip shows a phone number (MSISDN), which says nothing about its number",
      { proxy: ["MSISDN", "xxx-xxx-2345"] },
      account()
    ],
    [
      "the slip shows too little of a name to compare, or none in the language of the account's",
      { en: "SOMMAI" },
      bangkokBank("NAME")
    ]
  ])("say for no verdict why, and what to check: %s", (because, shown, known) => {
    const bank = known.bankCode === "002" ? "BBL" : "KBANK"
    assert.strictEqual(
      reasonsOf(shown, [known]),
      `The account ...2345 at ${bank} may be the receiver or not: ${because}.\n${UNDECIDED}`
    )
  })

  it.each<[string, Partial<AccountQuestion>]>([
    ["no active receiving account to compare with: register one with POST /v2/bank-accounts.", {}],
    [
      "no active receiving account at SCB to compare with: register one with POST /v2/bank-accounts, "
      + "or leave bankCode out to compare the accounts of all banks.",
      { bankCode: "014" }
    ],
    [
      "no active receiving account at PROMPTPAY with extraVerify NATID to compare with: register one with "
      + "POST /v2/bank-accounts, or leave bankCode out to compare the accounts of all banks.",
      { bankCode: "PROMPTPAY", extraVerify: "NATID" }
    ]
  ])("say for a branch without accounts what to do: %s", (end, question) => {
    const { accountId, isAmbiguous, reasons, verdict } = match({ number: "xxx-x-x1234-x" }, [], question)
    assert.deepStrictEqual({ accountId, isAmbiguous, verdict }, {
      accountId: null,
      isAmbiguous: false,
      verdict: "no_match"
    })
    assert.deepStrictEqual(reasons, [`This branch has ${end}`])
  })

  it("name each account, undecided accounts first, and a count of accounts beyond ten", () => {
    const wrong = Array.from({ length: 12 }, (_, n) => account({ id: `wrong-${n}`, bankNumber: `77700${n + 10}777` }))
    const open = account({ id: "open", bankNumber: "12345678904321" })

    const reasons = match({ number: "xxx-x-x1234-x" }, [...wrong, open]).reasons
    assert.strictEqual(reasons.length, 12)
    assert.match(reasons[0] ?? "", /^The account \.\.\.4321 at KBANK may be/u)
    assert.match(reasons[1] ?? "", /^The account \.\.\.0777 at KBANK is not/u)
    assert.strictEqual(reasons[10], "3 more accounts did not match either.")
    assert.strictEqual(reasons[11], UNDECIDED)

    const eleven = match({ number: "xxx-x-x1234-x" }, wrong.slice(1)).reasons
    assert.strictEqual(eleven[10], "1 more account did not match either.")
  })

  it("never contain a number", () => {
    assert.strictEqual(
      reasonsOf({ number: "1234" }, [account({ bankNumber: "1234" })]),
      "The account at KBANK is the receiver: 4 visible digits of its number agree."
    )
  })
})
