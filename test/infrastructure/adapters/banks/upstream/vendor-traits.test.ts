import { assert, describe, it } from "@effect/vitest"
import { contradictsReference } from "../../../../../infrastructure/adapters/banks/upstream/transfer-time.ts"
import { vendorTraits } from "../../../../../infrastructure/adapters/banks/upstream/vendor-traits.ts"
import { questionOf } from "../../../../contracts/bank-gateway.ts"

const charges = { notFound: true, repeat: false }
const DAY = 86_400_000

describe("what can be believed of a vendor", () => {
  const { recordMillis, windowMillis, ...traits } = vendorTraits("easyslip", charges)

  it("knows the slips of all banks, for a fee", () => {
    assert.deepStrictEqual(traits, { family: "easyslip", knowsAllSlips: true, charges })
  })

  it.each(
    [
      ["002", 5, 30],
      ["004", 2, 30],
      ["006", 2, 30],
      ["011", 2, 7],
      ["014", 5, 7],
      ["024", 2, 30],
      ["025", 2, 7],
      ["030", 2, 7],
      ["069", 2, 7],
      ["088", 2, 30]
    ] as const
  )("waits for slips of bank %s for %d minutes and has them for %d days", (bank, minutes, days) => {
    assert.deepStrictEqual([windowMillis(bank), recordMillis(bank)], [minutes * 60_000, days * DAY])
  })
})

describe("the time of a transfer and its reference", () => {
  const kbank = questionOf("004", "016326101500APP00001")
  const bangkokBank = questionOf("002", "2026112210150000000000001")
  const at = Date.parse("2026-11-22T10:15:00+07:00")

  it.each(
    [
      ["agree", kbank, 0, false],
      ["differ by seconds", kbank, 40_000, false],
      ["differ by seven hours", kbank, 7 * 3_600_000, true],
      ["differ by minus seven hours", kbank, -7 * 3_600_000, true],
      ["differ by about seven hours", bangkokBank, 7 * 3_600_000 - 4 * 60_000, true],
      ["differ by six hours", bangkokBank, 6 * 3_600_000, false],
      ["differ by a day", bangkokBank, DAY, false],
      ["cannot be compared", questionOf("014", "202611210aBcDeFgHiJkLmNoP"), 7 * 3_600_000, false]
    ] as const
  )("%s", (_, question, difference, contradicts) => {
    assert.strictEqual(contradictsReference(at + difference, question), contradicts)
  })

  it("are compared across the turn of the year", () => {
    const newYear = questionOf("004", "017001010000APP00001")
    assert.isTrue(contradictsReference(Date.parse("2026-12-31T18:00:00Z") - 7 * 3_600_000, newYear))
    assert.isFalse(contradictsReference(Date.parse("2026-12-31T18:00:00Z"), newYear))
  })
})
