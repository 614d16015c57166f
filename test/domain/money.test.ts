import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { fromBaht, Satang, satang, toBaht } from "../../domain/money.ts"
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

describe("an amount in satang", () => {
  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("is a whole number, and %d is refused", (amount) => {
    assert.throws(() => satang(amount))
    assert.isFalse(Schema.is(Satang)(amount))
  })
})
