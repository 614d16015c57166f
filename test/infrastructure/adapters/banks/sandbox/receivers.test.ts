import { assert, describe, it } from "@effect/vitest"
import { findBank } from "../../../../../domain/bank.ts"
import {
  receiverAt,
  receivers,
  type SandboxReceiver
} from "../../../../../infrastructure/adapters/banks/sandbox/receivers.ts"

const maskOf = ({ onSlip }: SandboxReceiver): string => (onSlip.account.bank ?? onSlip.account.proxy)?.account ?? ""

const places = (mask: string): string => mask.replaceAll("-", "").toLowerCase()

/** Whether every visible digit of the mask equals the digit of the number at the same place, counted from the end. */
const fits = (mask: string, number: string): boolean => {
  const visible = places(mask)
  return [...visible].every((place, at) => place === "x" || place === number.at(at - visible.length))
}

describe("the receivers of the sandbox", () => {
  it("are ten receivers, each at its index", () => {
    assert.deepStrictEqual(receivers.map(({ index }) => index), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.strictEqual(receiverAt(7).index, 7)
  })

  it("show their numbers in the masks of real slips", () => {
    assert.deepStrictEqual(receivers.map(maskOf), [
      "xxx-x-x1234-x",
      "xxxx-xx567-8",
      "999-0-xxx789",
      "xxx-xxx-2468",
      "9-0000-1234x-xx-x",
      "XXXXXXXXXXX1357",
      "XXXXXXXXXXX9753",
      "xxx-x-x7864-x",
      "xxx-x-x8315-x",
      "xxx-x-x9482-x"
    ])
  })

  it("have an account or a proxy of each type", () => {
    const kinds = receivers.map(({ onSlip: { account } }) => account.proxy?.type ?? account.bank?.type)

    assert.deepStrictEqual(kinds.slice(3, 7), ["MSISDN", "NATID", "EWALLETID", "BILLERID"])
    assert.deepStrictEqual([...kinds.slice(0, 3), ...kinds.slice(7)], Array.from({ length: 6 }, () => "BANKAC"))
  })

  it("have a merchantId only for the biller", () => {
    const merchantIds = receivers.flatMap(({ onSlip }) => onSlip.merchantId ?? [])

    assert.deepStrictEqual(merchantIds, [receiverAt(6).register.bankNumber])
  })

  it("include an English name only, an honorific without a space, and an empty bank", () => {
    assert.deepStrictEqual(receiverAt(7).onSlip.account.name, { en: "SANDBOX TRADING CO., LTD." })
    assert.match(receiverAt(8).onSlip.account.name.th ?? "", /^น\.ส\.[^ ]/u)
    assert.deepStrictEqual(receiverAt(9).onSlip.bank, { id: "", name: "", short: "" })
  })

  it.each(receivers)("match their registered number and no other one: $shape", (receiver) => {
    const fitting = receivers.filter(({ register }) => fits(maskOf(receiver), register.bankNumber))

    assert.deepStrictEqual(fitting, [receiver])
  })

  it.each(receivers)("can be registered: $shape", ({ register }) => {
    assert.match(register.bankNumber, /^\d{10,15}$/u)
    const bank = findBank(register.bankCode)
    assert.isDefined(bank)
    const options = bank?.extraVerify?.map(({ value }) => value)
    assert.strictEqual(register.extraVerify !== undefined, options !== undefined)
    if (register.extraVerify !== undefined) assert.include(options ?? [], register.extraVerify)
  })

  it("have a national id with a valid check digit and an unused category", () => {
    const id = receiverAt(4).register.bankNumber
    const sum = Array.from(id.slice(0, 12)).reduce((total, digit, at) => total + Number(digit) * (13 - at), 0)

    assert.match(id, /^9\d{12}$/u)
    assert.strictEqual(id.at(-1), String((11 - sum % 11) % 10))
  })
})
