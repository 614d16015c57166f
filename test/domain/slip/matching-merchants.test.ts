import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { runs } from "../../support/runs.ts"
import { account, match, type ShownParts } from "./given-receiver.ts"

const KSHOP = "010753600031508"
const OTHER_KSHOP = "010753600031501"
const OWN = "KB000001234567"
const FOREIGN = "KB000007654321"

/** K SHOP as most slips show it: the biller with its last four digits. */
const shared = { proxy: ["BILLERID", "XXXXXXXXXXX1508"] } as const
const atKShop = account({ bankCode: "KSHOP", bankNumber: KSHOP })
const shop = { ...atKShop, ref1: OWN }

describe("a shop of K SHOP", () => {
  it.each(
    [
      ["match", "its ref1", { ...shared, ref1: OWN }],
      ["match", "its ref1 in lower case, with spaces", { ...shared, ref1: ` ${OWN.toLowerCase()} ` }],
      ["match", "its ref2 alone", { ...shared, ref2: `KPS004${OWN}` }],
      ["match", "its ref1 at the other biller of K SHOP", { proxy: ["BILLERID", "XXXXXXXXXXX1501"], ref1: OWN }],
      ["match", "its ref1 at the whole biller id", { proxy: ["BILLERID", OTHER_KSHOP], ref1: OWN }],
      ["match", "its number as merchantId, without a biller", { merchantId: OWN }],
      ["match", "its ref1 and its name, without a biller", { ref1: OWN, th: "นาย สมหมาย ท" }],
      ["match", "its ref1, with the biller id as merchantId", { ...shared, merchantId: KSHOP, ref1: OWN }],
      ["no_match", "another shop's ref1", { ...shared, ref1: FOREIGN }],
      ["no_match", "another shop's merchantId", { ...shared, merchantId: FOREIGN }],
      ["no_match", "another shop's ref2, and its own ref1", { ...shared, ref1: OWN, ref2: `KPS004${FOREIGN}` }],
      ["no_match", "another shop's ref1, and its own name", { ...shared, ref1: FOREIGN, th: "นาย สมหมาย ท" }],
      ["no_match", "its ref1 at another bank", { ...shared, bankId: "014", ref1: OWN }],
      ["no_match", "its ref1 at another biller", { proxy: ["BILLERID", "XXXXXXXXXXX1234"], ref1: OWN }],
      ["indeterminate", "its ref1 alone, which any payer can write", { ref1: OWN }],
      ["indeterminate", "no reference", shared],
      ["indeterminate", "no reference, and its name", { ...shared, bankId: "004", th: "นาย สมหมาย ท" }],
      ["indeterminate", "an empty merchantId", { ...shared, merchantId: "" }],
      ["indeterminate", "a hidden reference", { ...shared, ref1: "**********4567" }]
    ] as const
  )("has the verdict %s for %s", (verdict, _, shown: ShownParts) => {
    assert.strictEqual(match(shown, [shop]).verdict, verdict)
    assert.strictEqual(match(shown, [{ ...atKShop, merchantId: OWN }]).verdict, verdict, "by its merchantId")
  })

  it("is never matched by the shared biller id alone, however it is registered", () => {
    const numbers = ["XXXXXXXXXXX1508", "xxxxxxxxxxx1501", KSHOP, OTHER_KSHOP, "01075360003150x", "xxx-1508"]
    const accounts = [
      account({ bankCode: "KSHOP", bankNumber: KSHOP }),
      account({ bankCode: "KSHOP", bankNumber: OTHER_KSHOP }),
      account({ bankCode: "KSHOP", bankNumber: "000000031508" }),
      account({ bankNumber: KSHOP }),
      shop
    ]
    for (const number of numbers) {
      for (const known of accounts) {
        for (const shown of [{ proxy: ["BILLERID", number] }, { merchantId: number }, { number }] as const) {
          const { verdict } = match({ ...shown, bankId: "004", th: "นาย สมหมาย ท" }, [known])
          assert.strictEqual(verdict, "indeterminate", `${JSON.stringify(shown)} for ${known.bankNumber}`)
        }
      }
    }
  })

  it("without ref1 gets a reason that says what to register", () => {
    const { reasons } = match(shared, [account({ bankCode: "KSHOP", bankNumber: KSHOP })])
    assert.match(reasons[0] ?? "", /all K SHOP merchants share: add the ref1 of your shop/u)
  })

  it("differs from the other shops of the branch", () => {
    const shops = [FOREIGN, OWN].map((ref1) => ({ ...shop, id: ref1, ref1 }))
    const { accountId, isAmbiguous, verdict } = match({ ...shared, ref1: OWN }, shops)
    assert.deepStrictEqual([verdict, accountId, isAmbiguous], ["match", OWN, false])
  })

  it("that is registered with its 12 digits is matched by ref1 too", () => {
    const old = account({ bankCode: "KSHOP", bankNumber: OWN.slice(2) })
    assert.strictEqual(match({ ...shared, ref1: OWN }, [old]).verdict, "match")
    assert.strictEqual(match({ ...shared, ref1: FOREIGN }, [old]).verdict, "no_match")
    assert.strictEqual(match(shared, [old]).verdict, "indeterminate")
  })

  it("that is registered with a biller id of its own is ruled out by K SHOP's", () => {
    const other = account({ bankCode: "KSHOP", bankNumber: "999000000069753" })
    assert.strictEqual(match(shared, [other]).verdict, "no_match")
  })
})

describe("a merchant of a biller", () => {
  const biller = "099400016530000"
  const atBiller = account({ bankCode: "014", bankNumber: biller })
  const merchant = { ...atBiller, ref1: "SHOP0042", merchantId: "M77" }
  const shown = { proxy: ["BILLERID", "XXXXXXXXXXX0000"] } as const

  it.each(
    [
      ["match", "both", { ...shown, ref1: "SHOP0042", merchantId: "M77" }],
      ["match", "its ref1", { ...shown, ref1: "shop0042" }],
      ["match", "its merchantId, without the biller", { merchantId: "M77" }],
      ["no_match", "its ref1, and another merchantId", { ...shown, ref1: "SHOP0042", merchantId: "M78" }],
      ["no_match", "its merchantId, and another ref1", { ...shown, ref1: "SHOP0043", merchantId: "M77" }],
      ["no_match", "its ref1 at another biller", { proxy: ["BILLERID", "XXXXXXXXXXX0001"], ref1: "SHOP0042" }],
      ["indeterminate", "the biller alone", shown],
      ["indeterminate", "the biller and the name", { ...shown, bankId: "014", th: "นาย สมหมาย ท" }],
      ["indeterminate", "its ref1 without the biller", { ref1: "SHOP0042" }]
    ] as const
  )("has the verdict %s for %s", (verdict, _, parts: ShownParts) => {
    assert.strictEqual(match(parts, [merchant]).verdict, verdict)
  })

  it("is matched by a reference that the sending bank cut at 20 characters, and by no shorter part", () => {
    const long = { ...atBiller, ref1: "ABCDEFGHIJKLMNOPQRST1234" }
    assert.strictEqual(match({ ...shown, ref1: "ABCDEFGHIJKLMNOPQRST" }, [long]).verdict, "match")
    assert.strictEqual(match({ ...shown, ref1: "ABCDEFGHIJKLMNOPQRS" }, [long]).verdict, "no_match")
    assert.strictEqual(match({ ...shown, ref1: "ABCDEFGHIJKLMNOPQRSX" }, [long]).verdict, "no_match")
  })

  it("is compared as the extraVerify of its bank says", () => {
    const atBangkokBank = { ...merchant, bankCode: "002" }
    const verdictOf = (mode: string, parts: ShownParts) =>
      match(parts, [{ ...atBangkokBank, extraVerify: mode }]).verdict
    const named = { th: "นาย สมหมาย ท" }
    assert.strictEqual(verdictOf("NAME", { ...named, ref1: "OTHER" }), "match")
    assert.strictEqual(verdictOf("NUMBER", { ...named, ...shown, ref1: "SHOP0042" }), "match")
    assert.strictEqual(verdictOf("NAME_NUMBER", { ...named, ...shown, ref1: "SHOP0042" }), "match")
    assert.strictEqual(verdictOf("NAME_NUMBER", { ...named, ...shown, ref1: "SHOP0043" }), "no_match")
    assert.strictEqual(verdictOf("NAME_NUMBER", { ...named, ...shown }), "indeterminate")
  })
})

describe("any merchant", () => {
  const Reference = Schema.String.check(Schema.isPattern(/^[0-9A-Z]{1,20}$/u))
  const Biller = Schema.String.check(Schema.isPattern(/^[0-9]{15}$/u))
  const Visible = Arbitrary.array(Arbitrary.schema(Schema.Boolean), { minLength: 15, maxLength: 15 })
  const Name = Schema.Literals(["นาย สมหมาย ท", "นาย คนอื่น ท", ""])
  const Bank = Schema.Literals(["", "014"])

  it.prop("is matched with an agreeing reference only", [Biller, Visible, Reference, Reference, Name, Bank], (
    [bankNumber, visible, own, ref1, th, bankId]
  ) => {
    const places = Array.from(bankNumber, (digit, at) => visible[at] === true ? digit : "x").join("")
    const proxy = ["BILLERID", places] as const
    const known = account({ bankCode: "014", bankNumber, ref1: own })
    const verdictOf = (shownRef1: string) => match({ proxy, ref1: shownRef1, th, bankId }, [known]).verdict

    assert.strictEqual(verdictOf(""), "indeterminate")
    if (own !== ref1 && !/X{3}/u.test(ref1)) assert.strictEqual(verdictOf(ref1), "no_match")
    assert.notStrictEqual(verdictOf(own), "no_match")
  }, { arbitrary: { runs: runs(500) } })
})
