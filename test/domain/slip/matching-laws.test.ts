import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { naiveVerdict } from "../../support/naive-matching.ts"
import { account, match, type ShownParts } from "./given-receiver.ts"
import { runs } from "../../support/runs.ts"

const digitsOf = (length: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9]{${length}}$`, "u")))

const AccountNumber = Schema.Union([digitsOf(10), digitsOf(12), digitsOf(15)])
const Phone = Schema.String.check(Schema.isPattern(/^0[0-9]{9}$/u))
const Visible = Arbitrary.array(Arbitrary.schema(Schema.Boolean), { minLength: 20, maxLength: 20 })
const Agreement = Schema.Literals(["same", "other", "none"])
const DigitIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 14 }))
const Shift = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
const Hidden = Schema.Literals(["x", "X", "*", "•"])

/** A mask of a number with the visible digits, and a hyphen after every third place. */
const masked = (number: string, visible: ReadonlyArray<boolean>, hidden: string): string =>
  Array.from(number, (digit, at) => (visible[at] === true ? digit : hidden) + (at % 3 === 2 ? "-" : "")).join("")

const changed = (number: string, place: number, shift: number): string => {
  const at = place % number.length
  return number.slice(0, at) + String((Number(number[at]) + shift) % 10) + number.slice(at + 1)
}

const named = (name: typeof Agreement.Type): ShownParts =>
  name === "none" ? {} : { th: name === "same" ? "นาย สมหมาย ท" : "นาย คนอื่น ท" }

const banked = (bank: typeof Agreement.Type): ShownParts =>
  bank === "none" ? {} : { bankId: bank === "same" ? "004" : "014" }

const options = { arbitrary: { runs: runs(300) } }

describe("any account number", () => {
  it.prop("is matched by four of its visible digits", [
    AccountNumber,
    Visible,
    Hidden
  ], ([number, visible, hidden]) => {
    const mask = masked(number, [true, true, true, true, ...visible], hidden)
    const fromTheEnd = masked(number, [...visible.slice(0, number.length - 4), true, true, true, true], hidden)
    const known = [account({ bankNumber: number })]
    assert.strictEqual(match({ number: mask }, known).verdict, "match")
    assert.strictEqual(match({ number: fromTheEnd }, known).verdict, "match")
  }, options)

  it.prop("is never matched when a visible digit differs", [
    AccountNumber,
    Visible,
    DigitIndex,
    Shift,
    Agreement
  ], ([number, visible, place, shift, name]) => {
    const withChangedDigit = visible.map((isVisible, at) => isVisible || at === place % number.length)
    const shown = {
      ...named(name),
      bankId: "004",
      number: masked(changed(number, place, shift), withChangedDigit, "x")
    }
    assert.strictEqual(match(shown, [account({ bankNumber: number })]).verdict, "no_match")
  }, options)

  it.prop("agrees with the naive implementation", [
    AccountNumber,
    AccountNumber,
    Visible,
    Schema.Boolean,
    Agreement,
    Agreement
  ], ([registered, other, visible, isOwn, bank, name]) => {
    const fewVisible = visible.map((isVisible, at) => isVisible && at % 2 === 0)
    const mask = masked(isOwn ? registered : other, fewVisible, "x")
    const shown = { ...banked(bank), ...named(name), number: mask }

    assert.strictEqual(
      match(shown, [account({ bankNumber: registered })]).verdict,
      naiveVerdict({ mask, registered, isPhone: false, bank, name }),
      mask
    )
  }, options)
})

describe("any mask", () => {
  const Mask = Schema.String.check(Schema.isPattern(/^[0-2xX*•-]{0,16}$/u))
  const Registered = Schema.String.check(Schema.isPattern(/^[0-2]{9,13}$/u))

  it.prop("agrees with the naive implementation", [
    Mask,
    Registered,
    Agreement,
    Agreement
  ], ([mask, registered, bank, name]) => {
    assert.strictEqual(
      match({ ...banked(bank), ...named(name), number: mask }, [account({ bankNumber: registered })]).verdict,
      naiveVerdict({ mask, registered, isPhone: false, bank, name })
    )
  }, { arbitrary: { runs: runs(1_000) } })

  it.prop("agrees with the naive implementation at both ends of the number", [
    Registered,
    DigitIndex,
    DigitIndex,
    Schema.Literals(["x", "xxx", "xxxxxxx", "x-1-x", "", "0", "1"]),
    Agreement
  ], ([registered, from, to, middle, name]) => {
    const end = to === 0 ? "" : registered.slice(-to)
    const mask = `${registered.slice(0, from % 4)}${middle}${end}`
    assert.strictEqual(
      match({ ...named(name), number: mask }, [account({ bankNumber: registered })]).verdict,
      naiveVerdict({ mask, registered, isPhone: false, bank: "none", name })
    )
  }, { arbitrary: { runs: runs(1_000) } })
})

describe("any telephone number", () => {
  const spellings = (phone: string) => [phone, `66${phone.slice(1)}`, `0066${phone.slice(1)}`]
  const known = (phone: string) => account({ bankCode: "PROMPTPAY", extraVerify: "MSISDN", bankNumber: phone })

  it.prop("is one number in all its notations, masked or not", [Phone, Visible, Hidden], ([phone, visible, hidden]) => {
    for (const registered of spellings(phone)) {
      for (const spelling of spellings(phone)) {
        const withChangedDigit = [...visible.slice(0, spelling.length - 4), true, true, true, true]
        const proxy = ["MSISDN", masked(spelling, withChangedDigit, hidden)] as const
        assert.strictEqual(match({ proxy }, [known(registered)]).verdict, "match", `${proxy[1]} for ${registered}`)
      }
    }
  }, options)

  it.prop("agrees with the naive implementation", [
    Phone,
    DigitIndex,
    Shift,
    Visible,
    Schema.Boolean,
    Agreement,
    Agreement
  ], ([phone, place, shift, visible, isOwn, bank, name]) => {
    for (const spelling of spellings(isOwn ? phone : changed(phone, 1 + place % 9, shift))) {
      const mask = masked(spelling, visible.map((isVisible, at) => isVisible && at % 3 !== 0), "x")
      assert.strictEqual(
        match({ ...banked(bank), ...named(name), proxy: ["MSISDN", mask] }, [known(phone)]).verdict,
        naiveVerdict({ mask, registered: phone, isPhone: true, bank, name }),
        `${mask} for ${phone}`
      )
    }
  }, options)
})

describe("any branch", () => {
  const Numbers = Schema.Array(Schema.String.check(Schema.isPattern(/^[0-1]{10}$/u)))
  const Mask = Schema.String.check(Schema.isPattern(/^[x01]{10}$/u))

  it.prop("gets the first matching account, and whether another one matches", [
    Numbers,
    Mask
  ], ([numbers, mask]) => {
    const accounts = numbers.map((bankNumber, at) => account({ id: `a-${at}`, bankNumber }))
    const verdicts = accounts.map((known) => match({ number: mask }, [known]).verdict)
    const { accountId, isAmbiguous, verdict } = match({ number: mask }, accounts)

    const first = verdicts.indexOf("match")
    assert.strictEqual(accountId, first === -1 ? null : `a-${first}`)
    assert.strictEqual(isAmbiguous, verdicts.filter((each) => each === "match").length > 1)
    if (first === -1) assert.strictEqual(verdict, verdicts.includes("indeterminate") ? "indeterminate" : "no_match")
  }, options)

  it.prop("gets only the last four digits of its accounts, and no digit of the slip's receiver", [
    Schema.NonEmptyArray(AccountNumber),
    AccountNumber,
    Phone,
    Visible
  ], ([numbers, receivers, phone, visible]) => {
    const accounts = numbers.map((bankNumber) => account({ bankNumber }))
    const shown: ShownParts = {
      number: masked(receivers, visible, "x"),
      proxy: ["MSISDN", phone],
      merchantId: receivers,
      bankId: phone.slice(0, 3),
      th: `นาย ${phone} ${receivers}`
    }
    for (const reason of [...match(shown, accounts).reasons, ...match({ ...shown, bankId: "" }, accounts).reasons]) {
      const shownDigits = reason.match(/\d{3,}/gu) ?? []
      assert.isTrue(shownDigits.every((digits) => numbers.some((number) => number.slice(-4) === digits)), reason)
    }
  }, options)
})
