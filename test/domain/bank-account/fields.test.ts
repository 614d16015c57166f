import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { accountFields as fields } from "../../support/views.ts"
import { resolveBank } from "../../../domain/bank.ts"
import {
  type BankAccountChange,
  type BankAccountFields,
  changeFields,
  checkFields
} from "../../../domain/bank-account/fields.ts"

const reason = (bankCode: string, extraVerify: string | null) =>
  Result.match(resolveBank(bankCode, extraVerify), { onFailure: ({ reason }) => reason, onSuccess: ({ code }) => code })

describe("a bank and an extraVerify value", () => {
  it.each([
    ["004", null, "004"],
    ["002", "NAME", "002"],
    ["002", "NAME_NUMBER", "002"],
    ["PROMPTPAY", "EWALLETID", "PROMPTPAY"],
    ["KSHOP", null, "KSHOP"],
    ["999", null, "unknown-bank"],
    ["", "NAME", "unknown-bank"],
    ["promptpay", "MSISDN", "unknown-bank"],
    ["002", null, "extra-verify-required"],
    ["PROMPTPAY", null, "extra-verify-required"],
    ["002", "", "extra-verify-invalid"],
    ["002", "name", "extra-verify-invalid"],
    ["002", "MSISDN", "extra-verify-invalid"],
    ["004", "NAME", "extra-verify-invalid"],
    ["KSHOP", "", "extra-verify-invalid"]
  ])("%s with %s is %s", (bankCode, extraVerify, expected) => {
    assert.strictEqual(reason(bankCode, extraVerify), expected)
    if (extraVerify === null) assert.deepStrictEqual(resolveBank(bankCode, undefined), resolveBank(bankCode, null))
  })
})

/** The number as it is stored, or undefined when it is rejected. */
const storedNumber = (bankCode: string, extraVerify: string | null, bankNumber: string) =>
  Result.getOrElse(
    Result.map(checkFields({ ...fields, bankCode, extraVerify, bankNumber }), (checked) => checked.bankNumber),
    () => undefined
  )

describe("a number", () => {
  it.each([
    ["004", null, "123-4-56789-0", "1234567890"],
    ["004", null, " 123 4 56789\u00a00\t", "1234567890"],
    ["004", null, "123\u20134\u201156789\u20100", "1234567890"],
    ["034", null, "012345678901", "012345678901"],
    ["014", null, "0".repeat(15), "0".repeat(15)],
    ["002", "NAME", "0000000000", "0000000000"],
    ["PROMPTPAY", "MSISDN", "081-234-5678", "0812345678"],
    ["PROMPTPAY", "MSISDN", "+66 81 234 5678", "0812345678"],
    ["PROMPTPAY", "MSISDN", "66812345678", "0812345678"],
    ["PROMPTPAY", "MSISDN", "0066812345678", "0812345678"],
    ["PROMPTPAY", "MSISDN", "0661234567", "0661234567"],
    ["PROMPTPAY", "NATID", "1-2345-67890-12-3", "1234567890123"],
    ["PROMPTPAY", "NATID", "6681234567890", "6681234567890"],
    ["PROMPTPAY", "EWALLETID", "66".padEnd(15, "0"), "66".padEnd(15, "0")],
    ["KSHOP", null, "999000000069753", "999000000069753"],
    ["KSHOP", null, "9".repeat(20), "9".repeat(20)]
  ])("of %s %s that is written %j is stored as %s", (bankCode, extraVerify, written, digits) => {
    assert.strictEqual(storedNumber(bankCode, extraVerify, written), digits)
    assert.strictEqual(storedNumber(bankCode, extraVerify, digits), digits)
  })

  it.each([
    ["004", null, "123456789", "the whole account number, 10 to 15 digits"],
    ["004", null, "1".repeat(16), "the whole account number, 10 to 15 digits"],
    ["004", null, "xxx-x-x1234-x", "the whole account number, 10 to 15 digits"],
    ["004", null, "+6681234567890", "the whole account number, 10 to 15 digits"],
    ["PROMPTPAY", "MSISDN", "812345678", "a phone number of 10 digits that begins with 0 (or with 66)"],
    ["PROMPTPAY", "MSISDN", "1812345678", "a phone number of 10 digits that begins with 0 (or with 66)"],
    ["PROMPTPAY", "MSISDN", "+65812345678", "a phone number of 10 digits that begins with 0 (or with 66)"],
    ["PROMPTPAY", "NATID", "0812345678", "a national or tax id of 13 digits"],
    ["PROMPTPAY", "EWALLETID", "1".repeat(14), "an e-Wallet id of 15 digits"],
    ["KSHOP", null, "1".repeat(21), "a biller or shop number of 10 to 20 digits"]
  ])("of %s %s is not %j, and the error says what is expected", (bankCode, extraVerify, bankNumber, expected) => {
    const checked = checkFields({ ...fields, bankCode, extraVerify, bankNumber })
    assert.deepInclude(Result.isFailure(checked) ? checked.failure : {}, {
      _tag: "BankNumberRefused",
      message: `Expected ${expected}`
    })
  })
})

describe("a merchant of a biller", () => {
  const biller = { ...fields, bankCode: "014", bankNumber: "099400016530000" }
  const checked = (changed: Partial<BankAccountFields>) =>
    Result.match(checkFields({ ...biller, ...changed }), {
      onFailure: (refused) => refused._tag === "BankRefused" ? refused.reason : [refused.field, refused.message],
      onSuccess: ({ merchantId, ref1 }) => [ref1, merchantId]
    })

  it.each([
    ["014", " shop-0042 ", null, "SHOP0042", null],
    ["014", null, "m 77", null, "M77"],
    ["002", "A".repeat(30), "M77", "A".repeat(30), "M77"],
    ["KSHOP", "kb000001234567", null, "KB000001234567", null],
    ["KSHOP", "KPS004KB000001234567", null, "KB000001234567", null],
    ["KSHOP", null, "KB000001234567", null, "KB000001234567"]
  ])("of %s with ref1 %j and merchantId %j is stored as %j and %j", (bankCode, ref1, merchantId, ...stored) => {
    const extraVerify = bankCode === "002" ? "NUMBER" : null
    assert.deepStrictEqual(checked({ bankCode, extraVerify, ref1, merchantId }), stored)
  })

  it("needs the biller id as its number, and letters and digits as its reference", () => {
    const expected = "the biller id of 15 digits, because ref1 or merchantId is given"
    assert.deepStrictEqual(checked({ bankNumber: "1234567890", ref1: "A" }), ["bankNumber", `Expected ${expected}`])
    assert.deepStrictEqual(checked({ ref1: "A/1" }), ["ref1", "Expected 1 to 30 letters and digits"])
    assert.deepStrictEqual(checked({ merchantId: "" }), ["merchantId", "Expected 1 to 30 letters and digits"])
    assert.deepStrictEqual(checked({ ref1: "A".repeat(31) }), ["ref1", "Expected 1 to 30 letters and digits"])
    const phone = { bankCode: "PROMPTPAY", extraVerify: "MSISDN", bankNumber: "0812345678" }
    assert.deepStrictEqual(checked({ ...phone, ref1: "A" }), ["ref1", "Expected null: a PromptPay id is no biller"])
  })

  it("of K SHOP is not registered by the reference that K SHOP prints, and the error says what to register", () => {
    const [field, message] = checked({ bankCode: "KSHOP", bankNumber: "KPS004KB000001234567" })
    assert.strictEqual(field, "bankNumber")
    assert.match(
      message ?? "",
      /not a biller id\. Give the biller id 010753600031508 .* last 14 characters .* as ref1$/u
    )
    const [otherField, otherMessage] = checked({ bankCode: "KSHOP", bankNumber: "010753600031508", ref1: "SHOP1" })
    assert.strictEqual(otherField, "ref1")
    assert.match(otherMessage ?? "", /^Expected KB and 12 digits/u)
  })
})

describe("a change of an account", () => {
  const after = (current: BankAccountFields, change: BankAccountChange) =>
    Result.match(changeFields(current, change), {
      onFailure: (refused) => refused._tag === "BankRefused" ? refused.reason : refused._tag,
      onSuccess: (changed) => changed
    })
  const byName = { ...fields, bankCode: "002", extraVerify: "NAME" }

  it("keeps absent fields, and clears fields that are null", () => {
    const full: BankAccountFields = { ...byName, nameEn: "GOOD COFFEE", type: "JURISTIC" }
    assert.deepStrictEqual(after(full, {}), full)
    assert.deepStrictEqual(after(full, { nameTh: undefined, nameEn: undefined, type: undefined }), full)
    assert.deepStrictEqual(after(full, { nameEn: null, type: null }), { ...full, nameEn: null, type: null })
    assert.deepStrictEqual(after(full, { nameTh: "ร้านอื่น", bankNumber: "987-6543210", extraVerify: "NUMBER" }), {
      ...full,
      nameTh: "ร้านอื่น",
      bankNumber: "9876543210",
      extraVerify: "NUMBER"
    })
  })

  it("removes the extraVerify value with its bank", () => {
    assert.deepStrictEqual(after(byName, { bankCode: "004" }), { ...byName, bankCode: "004", extraVerify: null })
    assert.deepStrictEqual(after(byName, { bankCode: "002" }), byName)
    assert.strictEqual(after(fields, { bankCode: "002" }), "extra-verify-required")
    assert.strictEqual(after(byName, { bankCode: "PROMPTPAY", bankNumber: "0812345678" }), "extra-verify-required")
    assert.strictEqual(after(byName, { bankCode: "004", extraVerify: "NAME" }), "extra-verify-invalid")
    assert.strictEqual(after(byName, { extraVerify: null }), "extra-verify-required")
    assert.strictEqual(after(byName, { bankCode: "999" }), "unknown-bank")
  })

  it("is validated as a whole", () => {
    const phone = { ...fields, bankCode: "PROMPTPAY", extraVerify: "MSISDN", bankNumber: "0812345678" }
    assert.strictEqual(after(phone, { extraVerify: "NATID" }), "BankNumberRefused")
    assert.strictEqual(after(phone, { bankNumber: "1234567890123" }), "BankNumberRefused")
    assert.deepInclude(after(phone, { bankNumber: "1234567890123", extraVerify: "NATID" }), { extraVerify: "NATID" })
    assert.strictEqual(after(fields, { bankCode: "PROMPTPAY", extraVerify: "MSISDN" }), "BankNumberRefused")
  })
})
