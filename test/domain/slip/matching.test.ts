import { assert, describe, it } from "@effect/vitest"
import { matchAccounts, type ReceivingAccount } from "../../../domain/slip/matching.ts"
import type { Receiver } from "../../../domain/slip/transfer.ts"
import { receivers } from "../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { account, match, type ShownParts } from "./given-receiver.ts"

describe("the receiver's bank", () => {
  const number = "xxx-x-x1234-x"

  it.each(
    [
      ["match", "the account's", "004"],
      ["match", "the account's, with spaces around it", " 004 "],
      ["match", "not given", ""],
      ["no_match", "another one", "014"]
    ] as const
  )("gives the verdict %s when it is %s", (verdict, _, bankId) => {
    assert.strictEqual(match({ bankId, number }, [account()]).verdict, verdict)
  })

  it.each(
    [
      ["match", "the bank", { bankId: "004" }],
      ["match", "the name", { th: "นายสมหมาย ท" }],
      ["match", "the bank, and not the name,", { bankId: "004", th: "นาย คนอื่น ท" }],
      ["indeterminate", "nothing else", {}],
      ["indeterminate", "nothing else, with a different name,", { th: "นาย คนอื่น ท" }]
    ] as const
  )("with three digits gives the verdict %s: %s agrees", (verdict, _, shown) => {
    assert.strictEqual(match({ ...shown, number: "xxx-x-xx234-x" }, [account()]).verdict, verdict)
  })

  it("and the name do not make two digits sufficient", () => {
    const shown = { bankId: "004", th: "นายสมหมาย ท", number: "xxx-x-xx23x-x" }
    assert.strictEqual(match(shown, [account()]).verdict, "indeterminate")
  })
})

describe("an account with a mode of comparison", () => {
  const bangkokBank = (extraVerify: string | null) =>
    account({ bankCode: "002", bankNumber: "9990036789", extraVerify })
  const [numberAgrees, numberDiffers, numberOpen] = ["999-0-xxx789", "999-0-xxx788", "xxx-x-xxx789"]
  const [nameAgrees, nameDiffers, nameOpen] = ["นาย สมหมาย ท", "นาย คนอื่น ท", "นาย ส*** ท***"]

  it.each(
    [
      ["NAME", "match", nameAgrees, numberAgrees],
      ["NAME", "match", nameAgrees, numberDiffers],
      ["NAME", "match", nameAgrees, undefined],
      ["NAME", "no_match", nameDiffers, numberAgrees],
      ["NAME", "indeterminate", nameOpen, numberAgrees],
      ["NAME", "indeterminate", undefined, numberAgrees],
      ["NUMBER", "match", nameAgrees, numberAgrees],
      ["NUMBER", "match", nameDiffers, numberAgrees],
      ["NUMBER", "match", undefined, numberAgrees],
      ["NUMBER", "no_match", nameAgrees, numberDiffers],
      ["NUMBER", "indeterminate", nameAgrees, numberOpen],
      ["NUMBER", "indeterminate", nameAgrees, undefined],
      ["NAME_NUMBER", "match", nameAgrees, numberAgrees],
      ["NAME_NUMBER", "match", nameAgrees, numberOpen],
      ["NAME_NUMBER", "no_match", nameDiffers, numberAgrees],
      ["NAME_NUMBER", "no_match", nameAgrees, numberDiffers],
      ["NAME_NUMBER", "no_match", nameDiffers, numberDiffers],
      ["NAME_NUMBER", "no_match", nameOpen, numberDiffers],
      ["NAME_NUMBER", "no_match", nameDiffers, undefined],
      ["NAME_NUMBER", "indeterminate", nameOpen, numberAgrees],
      ["NAME_NUMBER", "indeterminate", nameAgrees, "xxx-x-xxxx89"],
      ["NAME_NUMBER", "indeterminate", nameAgrees, undefined]
    ] as const
  )("%s gives the verdict %s for the name %s and the number %s", (mode, verdict, th, number) => {
    const shown: ShownParts = { ...(th === undefined ? {} : { th }), ...(number === undefined ? {} : { number }) }

    assert.strictEqual(match(shown, [bangkokBank(mode)]).verdict, verdict)
    const question = { bankCode: "002", extraVerify: mode }
    assert.strictEqual(match(shown, [bangkokBank("NAME")], question).verdict, verdict, "requested in the question")
    assert.strictEqual(match(shown, [bangkokBank(null)], question).verdict, verdict, "for an account without a mode")
    assert.strictEqual(match({ ...shown, bankId: "014" }, [bangkokBank(mode)]).verdict, "no_match", "at another bank")
  })

  it("counts the bank as the fourth digit in the mode NUMBER, and not the name", () => {
    const shown = { number: numberOpen, th: nameAgrees }
    assert.strictEqual(match({ ...shown, bankId: "002" }, [bangkokBank("NUMBER")]).verdict, "match")
    assert.strictEqual(match(shown, [bangkokBank("NUMBER")]).verdict, "indeterminate")
  })
})

describe("a PromptPay account", () => {
  const phone = account({ bankCode: "PROMPTPAY", bankNumber: "0700002468", extraVerify: "MSISDN" })

  it.each(
    [
      ["match", "its id, for any bank on the slip", { bankId: "014", proxy: ["MSISDN", "xxx-xxx-2468"] }],
      ["match", "three digits of its id and its name", { proxy: ["MSISDN", "xxx-xxx-x468"], th: "สมหมาย ท" }],
      ["indeterminate", "three digits of its id and a bank", { bankId: "004", proxy: ["MSISDN", "xxx-xxx-x468"] }],
      ["no_match", "an id of another kind", { proxy: ["EWALLETID", "xxx-xxx-2468"] }],
      ["no_match", "an account number that looks the same", { number: "xxx-xxx-2468" }],
      ["no_match", "a biller's number that looks the same", { merchantId: "0700002468" }],
      ["match", "its id beside an account number", { number: "xxx-x-x9999-x", proxy: ["MSISDN", "xxx-xxx-2468"] }],
      ["indeterminate", "a name alone", { th: "สมหมาย ท" }]
    ] as const
  )("gives the verdict %s for %s", (verdict, _, shown) => {
    assert.strictEqual(match(shown, [phone]).verdict, verdict)
  })

  it("without a type is compared with any id, or with ids of the requested type", () => {
    const old = { ...phone, extraVerify: null }
    const shown = { proxy: ["MSISDN", "xxx-xxx-2468"] } as const
    assert.strictEqual(match(shown, [old]).verdict, "match")
    assert.strictEqual(match(shown, [old], { bankCode: "PROMPTPAY", extraVerify: "MSISDN" }).verdict, "match")
    assert.strictEqual(match(shown, [old], { bankCode: "PROMPTPAY", extraVerify: "NATID" }).verdict, "no_match")
  })

  it("of another type than the requested one is not compared", () => {
    const result = match({ proxy: ["NATID", "xxxxxxxxx2468"] }, [phone], {
      bankCode: "PROMPTPAY",
      extraVerify: "NATID"
    })
    assert.strictEqual(result.verdict, "no_match")
    assert.match(result.reasons.join(" "), /no active receiving account at PROMPTPAY with extraVerify NATID/u)
  })
})

describe("a K SHOP account", () => {
  const shop = account({ bankCode: "KSHOP", bankNumber: "999000000069753" })

  it.each(
    [
      ["match", "its merchantId", { merchantId: "999000000069753" }],
      ["match", "its merchantId behind letters", { merchantId: "KB000000069753" }],
      ["match", "its number as a biller", { proxy: ["BILLERID", "XXXXXXXXXXX9753"] }],
      ["match", "its number in place of an account number", { number: "xxxxxxxxxxx9753" }],
      ["match", "its number at Kasikornbank", { bankId: "004", merchantId: "999000000069753" }],
      ["match", "its number at K SHOP", { bankId: "KSHOP", merchantId: "999000000069753" }],
      ["match", "three digits at Kasikornbank", { bankId: "004", proxy: ["BILLERID", "XXXXXXXXXXXX753"] }],
      ["match", "one of two numbers", { proxy: ["BILLERID", "XXXXXXXXXXX9753"], merchantId: "111222333444555" }],
      ["match", "one of two numbers, the other nearly its own", {
        proxy: ["BILLERID", "XXXXXXXXXXX9753"],
        merchantId: "999000000069754"
      }],
      ["no_match", "its number at another bank", { bankId: "014", merchantId: "999000000069753" }],
      ["no_match", "another biller's number", { proxy: ["BILLERID", "XXXXXXXXXXX9754"] }],
      ["indeterminate", "an empty merchantId", { merchantId: "" }],
      ["indeterminate", "an account number of another length", { number: "xxx-xxx-9753" }],
      ["indeterminate", "a PromptPay id", { proxy: ["EWALLETID", "XXXXXXXXXXX9753"] }]
    ] as const
  )("gives the verdict %s for %s", (verdict, _, shown) => {
    assert.strictEqual(match(shown, [shop]).verdict, verdict)
  })

  it("is not compared with bank accounts, except with a registered biller number", () => {
    const shown = { proxy: ["BILLERID", "XXXXXXXXXXX2345"], merchantId: "999000000012345" } as const
    assert.strictEqual(match(shown, [account()]).verdict, "indeterminate")
    assert.strictEqual(match(shown, [account({ bankCode: "014", bankNumber: "999000000012345" })]).verdict, "match")
  })
})

describe("several accounts", () => {
  const atKbank = account({ id: "kbank" })
  const atScb = account({ id: "scb", bankCode: "014" })
  const phone = account({ id: "phone", bankCode: "PROMPTPAY", bankNumber: "0700002468", extraVerify: "MSISDN" })
  const number = "xxx-x-x1234-x"

  it("that match equally are ambiguous: the first one is used, and the reasons say so", () => {
    for (const accounts of [[atKbank, atScb], [atScb, atKbank]]) {
      const { accountId, isAmbiguous, reasons, verdict } = match({ number }, accounts)
      assert.deepStrictEqual({ accountId, isAmbiguous, verdict }, {
        accountId: accounts[0]?.id ?? null,
        isAmbiguous: true,
        verdict: "match"
      })
      assert.match(reasons.join(" "), /2 accounts match equally well.* give bankCode/u)
    }
  })

  it("are distinguished by the requested bank", () => {
    const { accountId, isAmbiguous } = match({ number }, [atKbank, atScb], { bankCode: "014" })
    assert.deepStrictEqual([accountId, isAmbiguous], ["scb", false])
  })

  it("are distinguished by the bank on the slip", () => {
    const { accountId, isAmbiguous } = match({ number, bankId: "014" }, [atKbank, atScb])
    assert.deepStrictEqual([accountId, isAmbiguous], ["scb", false])
  })

  it("are distinguished by the number of equal digits", () => {
    for (const accounts of [[phone, atKbank], [atKbank, phone]]) {
      const { accountId, isAmbiguous } = match({ number, proxy: ["MSISDN", "070-xxx-2468"] }, accounts)
      assert.deepStrictEqual([accountId, isAmbiguous], ["phone", false])
    }
  })

  it("of one name are distinguished by their numbers, also when the name decides", () => {
    const named = (id: string, bankNumber: string) => account({ id, bankNumber, bankCode: "002", extraVerify: "NAME" })
    const shown = { th: "นาย สมหมาย ท", number: "999-0-xxx789" }
    const others = [named("other", "1110036789"), named("unlike", "1234500000")]

    const { accountId, isAmbiguous } = match(shown, [...others, named("right", "9990036789")])
    assert.deepStrictEqual([accountId, isAmbiguous], ["right", false])
    assert.isTrue(match(shown, others).isAmbiguous)
  })

  it("give no verdict while one of them gives none", () => {
    const open = account({ id: "open", bankNumber: "12345678901234" })
    const { accountId, reasons, verdict } = match({ number: "xxx-x-x9999-x" }, [atKbank, open])
    assert.deepStrictEqual([accountId, verdict], [null, "indeterminate"])
    assert.match(reasons[0] ?? "", /\.\.\.1234 .*may be/u)
  })
})

describe("the receivers of the sandbox", () => {
  const accounts = receivers.map(({ index, register }): ReceivingAccount => ({
    id: String(index),
    extraVerify: null,
    ...register
  }))
  const paid = (receiver: Receiver) => ({ receiver, ref1: "", ref2: "" })

  it.each(receivers)("match only the accounts that are registered for them: $shape", ({ index, onSlip }) => {
    const question = { bankCode: undefined, extraVerify: undefined }
    const alone = accounts.filter((known) => matchAccounts(paid(onSlip), [known], question).verdict === "match")
    const { accountId, isAmbiguous, verdict } = matchAccounts(paid(onSlip), accounts, question)

    assert.deepStrictEqual(alone.map(({ id }) => id), [String(index)])
    assert.deepStrictEqual({ accountId, isAmbiguous, verdict }, {
      accountId: String(index),
      isAmbiguous: false,
      verdict: "match"
    })
  })

  it.each(receivers)("match when their bank and mode are requested: $shape", ({ index, onSlip, register }) => {
    const question = { bankCode: register.bankCode, extraVerify: register.extraVerify }
    assert.strictEqual(matchAccounts(paid(onSlip), accounts, question).accountId, String(index))
  })
})
