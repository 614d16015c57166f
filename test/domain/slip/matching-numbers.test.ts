import { assert, describe, it } from "@effect/vitest"
import { account, match } from "./given-receiver.ts"

const ordinary = (bankNumber: string) => account({ bankNumber })
const promptPay = (extraVerify: string, bankNumber: string) =>
  account({ bankCode: "PROMPTPAY", extraVerify, bankNumber })

const verdictOfNumber = (shown: string, registered: string) => match({ number: shown }, [ordinary(registered)]).verdict

const verdictOfProxy = (type: string, shown: string, registered: string) =>
  match({ proxy: [type, shown] }, [promptPay(type, registered)]).verdict

describe("an account number on a slip", () => {
  it.each([
    ["KBank, four in the middle", "xxx-x-x1234-x", "9990012345"],
    ["SCB, the last four", "xxxx-xx567-8", "9990025678"],
    ["Bangkok Bank, the first four and the last three", "999-0-xxx789", "9990036789"],
    ["EasySlip's documentation, twelve digits", "1234xxxx5678", "123400005678"],
    ["hidden by capitals", "XXX-X-X1234-X", "9990012345"],
    ["hidden by stars", "***-*-*1234-*", "9990012345"],
    ["hidden by bullets", "•••-•-•1234-•", "9990012345"],
    ["hidden by all of them", "xX*-•-x1234-X", "9990012345"],
    ["with spaces", "xxx x x1234 x", "9990012345"],
    ["with dashes for hyphens and a zero-width space", "xxx–x–x\u200b1234–x", "9990012345"],
    ["in full", "999-0-01234-5", "9990012345"],
    ["in full, filled up with zeros", "000009990012345", "9990012345"],
    ["its end alone", "x2345", "9990012345"],
    ["its end alone, without hidden characters", "2345", "9990012345"],
    ["its end, after more places than it has", "xxxxxxxxxxx2345", "9990012345"],
    ["its start, before more places than it has", "9990xxxxxxxxx", "9990012345"],
    ["its start and end, with too few places between them", "99900X345", "9990012345"],
    ["its start and end, with too many places between them", "9990xxxxxxxx345", "9990012345"],
    ["its end after a word", "BAY 2345", "9990012345"],
    ["a number that begins with zeros", "001-x-xx234-x", "0019992340"]
  ])("proves the account: %s", (_, shown, registered) => {
    assert.strictEqual(verdictOfNumber(shown, registered), "match")
  })

  it.each([
    ["one digit of four", "xxx-x-x1235-x", "9990012345"],
    ["a digit among many that agree", "998-0-01234-5", "9990012345"],
    ["all of four", "xxx-x-x9876-x", "9990012345"],
    ["the one that is visible", "xxx-x-xxxxx-6", "9990012345"],
    ["the end", "x2346", "9990012345"],
    ["the end behind a start that agrees", "99900X346", "9990012345"],
    ["the start before an end that agrees", "99910X345", "9990012345"],
    ["the start", "9991xxxxxxxxx", "9990012345"],
    ["a digit before the longest end", "19990012345", "9990012345"],
    ["digits behind the whole number", "9990012345678xx", "9990012345"],
    ["a zero in front that is the number's own", "xxxxxxxx0019", "0990012019"]
  ])("rules out an account when it disagrees: %s", (_, shown, registered) => {
    assert.strictEqual(verdictOfNumber(shown, registered), "no_match")
  })

  it.each([
    ["three digits", "xxx-x-xx234-x", "9990012345"],
    ["one digit", "xxx-x-xxxxx-5", "9990012345"],
    ["hidden in full", "xxx-x-xxxxx-x", "9990012345"],
    ["nothing", "", "9990012345"],
    ["a run in the middle of another length", "xxx1234xxxxx", "9990012345"],
    ["a word", "unknown", "9990012345"]
  ])("gives no verdict when too little is visible: %s", (_, shown, registered) => {
    assert.strictEqual(verdictOfNumber(shown, registered), "indeterminate")
  })

  it.each(["TOKEN", "DUMMY", "token"])("is ignored when the upstream calls it %s", (numberType) => {
    const shown = { number: "9990012345", numberType }
    assert.strictEqual(match(shown, [ordinary("9990012345")]).verdict, "indeterminate")
    assert.strictEqual(match(shown, [ordinary("1112223334")]).verdict, "indeterminate")
  })
})

describe("a PromptPay id on a slip", () => {
  it.each([
    ["MSISDN", "xxx-xxx-2468", "0700002468"],
    ["MSISDN", "070-xxx-2468", "0700002468"],
    ["MSISDN", "66-70-xxx-2468", "0700002468"],
    ["MSISDN", "+66 70 xxx 2468", "0700002468"],
    ["MSISDN", "xx-xx-xxx-2468", "0700002468"],
    ["MSISDN", "0066-70-xxx-2468", "0700002468"],
    ["MSISDN", "xxxxxx-xxx-2468", "0700002468"],
    ["MSISDN", "070-xxx-2468", "66700002468"],
    ["MSISDN", "66-70-xxx-2468", "0066700002468"],
    ["MSISDN", "70-xxx-2468", "0700002468"],
    ["MSISDN", "x2468", "0700002468"],
    ["NATID", "9-0000-1234x-xx-x", "9000012345672"],
    ["NATID", "90000X672", "9000012345672"],
    ["NATID", "xxxxxxxxx5672", "9000012345672"],
    ["EWALLETID", "XXXXXXXXXXX1357", "999000000051357"],
    ["EWALLETID", "xxxxxx-1357", "999000000051357"],
    ["msisdn", "xxx-xxx-2468", "0700002468"]
  ])("of the kind %s proves its account: %s for %s", (type, shown, registered) => {
    const known = promptPay(type.toUpperCase(), registered)
    assert.strictEqual(match({ proxy: [type, shown] }, [known]).verdict, "match")
  })

  it.each([
    ["MSISDN", "xxx-xxx-2469", "0700002468"],
    ["MSISDN", "66-71-xxx-2468", "0700002468"],
    ["MSISDN", "67-70-xxx-2468", "0700002468"],
    ["MSISDN", "170-xxx-2468", "0700002468"],
    ["NATID", "9-0000-1235x-xx-x", "9000012345672"],
    ["EWALLETID", "XXXXXXXXXXX1358", "999000000051357"]
  ])("of the kind %s rules an account out: %s for %s", (type, shown, registered) => {
    assert.strictEqual(verdictOfProxy(type, shown, registered), "no_match")
  })

  it.each(
    [
      ["match", "0xx-xxx-x468"],
      ["match", "66-xx-xxx-x468"],
      ["match", "0066-xx-xxx-x468"],
      ["indeterminate", "66-xx-xxx-xx68"],
      ["indeterminate", "0066-xx-xxx-xxxx"]
    ] as const
  )("counts the prefix of a telephone number as one digit: %s for %s", (verdict, shown) => {
    assert.strictEqual(verdictOfProxy("MSISDN", shown, "0700002468"), verdict)
  })

  it("is a telephone number only when its type says so", () => {
    assert.strictEqual(verdictOfProxy("EWALLETID", "66700002468", "0700002468"), "no_match")
    assert.strictEqual(verdictOfNumber("66700002468", "0700002468"), "no_match")
  })
})
