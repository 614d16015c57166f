import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { fromBaht, fromComputedBaht, Satang, satang, toBaht } from "../../domain/money.ts"
import { runs } from "../support/runs.ts"

const LARGEST = 999_999_999_999_999
const Amount = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: -1_000, maximum: 1_000 })),
  Schema.Int.check(Schema.isBetween({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
  Schema.Int.check(Schema.isBetween({ minimum: -LARGEST, maximum: LARGEST })),
  Schema.Int.check(Schema.isBetween({ minimum: LARGEST - 1_000, maximum: LARGEST }))
])
const Thousandths = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 ** 12 }))
const AnyNumber = Schema.Union([Schema.Finite, Schema.Literals([Number.EPSILON, 1e21, Number.MAX_VALUE, 2 ** 53 + 2])])
const options = { arbitrary: { runs: runs(500) } }

describe("baht in JSON", () => {
  it.prop("every amount in satang survives a round trip", [Amount], ([amount]) => {
    const baht: unknown = JSON.parse(JSON.stringify(toBaht(satang(amount))))
    assert.isTrue(typeof baht === "number" && Option.contains(fromBaht(baht), satang(amount === 0 ? 0 : amount)))
  }, options)

  it.prop("an accepted number is the amount of its decimal text", [Amount], ([amount]) => {
    const digits = String(Math.abs(amount)).padStart(3, "0")
    const text = `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
    assert.deepStrictEqual(fromBaht(Number(text)), Option.some(satang(amount === 0 ? 0 : amount)))
  }, options)

  it.prop("a third decimal is refused", [Thousandths], ([n]) => {
    const thousandths = n % 10 === 0 ? n + 1 : n
    assert.isTrue(Option.isNone(fromBaht(Number(`${thousandths}e-3`))))
  }, options)

  it.prop("any number is an equal amount or is refused", [AnyNumber], ([n]) => {
    const amount = Option.getOrUndefined(fromBaht(n))
    if (amount !== undefined) assert.isTrue(Number.isSafeInteger(amount) && toBaht(amount) === n)
  }, options)

  it.each([
    [0, 0],
    [0.01, 1],
    [0.1, 10],
    [0.29, 29],
    [1.1, 110],
    [8.2, 820],
    [19.99, 1_999],
    [1_500.5, 150_050],
    [4_503_599_627.37, 450_359_962_737],
    [9_999_999_999_999.99, LARGEST],
    [-20.05, -2_005]
  ])("%d baht are %d satang", (baht, amount) => {
    assert.deepStrictEqual(fromBaht(baht), Option.some(satang(amount)))
    assert.strictEqual(toBaht(satang(amount)), baht)
  })

  it.each([
    0.1 + 0.2,
    0.001,
    0.005,
    1.005,
    99.999,
    Number.MIN_VALUE,
    10 ** 13,
    Number.MAX_SAFE_INTEGER,
    1e21,
    Number.MAX_VALUE,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY
  ])("%d is no amount", (baht) => {
    assert.isTrue(Option.isNone(fromBaht(baht)))
  })

  it("minus zero is zero", () => {
    assert.isTrue(Object.is(Option.getOrUndefined(fromBaht(-0)), 0))
  })
})

/** Prices of at most 10 000 baht. */
const Prices = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))
  .check(Schema.isBetweenLength(1, 50))

describe("baht that a caller computed", () => {
  it.prop("are the exact sum of prices, in any order", [Prices], ([prices]) => {
    const exact = Option.some(satang(prices.reduce((sum, price) => sum + price, 0)))
    const sumOf = (each: ReadonlyArray<number>) => each.reduce((sum, price) => sum + price / 100, 0)
    assert.deepStrictEqual(fromComputedBaht(sumOf(prices)), exact)
    assert.deepStrictEqual(fromComputedBaht(sumOf(prices.toReversed())), exact)
    assert.deepStrictEqual(fromComputedBaht(JSON.parse(JSON.stringify(sumOf(prices)))), exact)
  }, options)

  it.prop("are the amount itself when they are one", [Amount], ([amount]) => {
    assert.deepStrictEqual(fromComputedBaht(amount / 100), fromBaht(amount / 100))
  }, options)

  it.prop("are refused when they are further from an amount than the error of a sum", [Thousandths], ([n]) => {
    const satangs = Math.floor(n / 10)
    for (const off of [2e-8, 1e-6, 1e-3, 5e-3, -2e-8, -1e-6, -1e-3]) {
      const baht = satangs / 100 + off
      // Larger numbers have less exact fractions.
      if (satangs < 1e9) assert.isTrue(Option.isNone(fromComputedBaht(baht)), String(baht))
    }
  }, options)

  it.each([
    [0.1 + 0.2, 30],
    [1.1 + 2.2, 330],
    [69.9 + 29.9 + 0.2, 10_000],
    [1.15 * 100, 11_500],
    [100 * 1.07, 10_700],
    [-0.1 - 0.2, -30],
    [1e-9, 0]
  ])("%d baht are %d satang", (baht, amount) => {
    assert.deepStrictEqual(fromComputedBaht(baht), Option.some(satang(amount)))
  })

  it.each([0.001, 1.005, 99.999, 100.000_000_1, 10 ** 13, 1e21, Number.NaN, Number.POSITIVE_INFINITY])(
    "%d is no amount",
    (baht) => {
      assert.isTrue(Option.isNone(fromComputedBaht(baht)))
    }
  )
})

describe("an amount in satang", () => {
  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("is a whole number, and %d is refused", (amount) => {
    assert.throws(() => satang(amount))
    assert.isFalse(Schema.is(Satang)(amount))
  })
})
