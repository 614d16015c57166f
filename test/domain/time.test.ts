import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { bangkokDay, bangkokTime, fromBangkok, parseTimeInBangkok, quotaMonth, slipTime } from "../../domain/time.ts"

/** Whole seconds of the years 1970 to 2099. */
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_799 }))

describe("the day in Bangkok", () => {
  it("starts at 17:00 UTC", () => {
    assert.strictEqual(bangkokDay(Date.parse("2026-12-31T16:59:59.999Z")), "2026-12-31")
    assert.strictEqual(bangkokDay(Date.parse("2026-12-31T17:00:00.000Z")), "2027-01-01")
  })
})

describe("the quota month", () => {
  it.each([
    ["2026-10-31T16:59:59.999Z", "2026-10"],
    ["2026-10-31T17:00:00.000Z", "2026-11"],
    ["2026-11-30T16:59:59.999Z", "2026-11"],
    ["2026-12-31T16:59:59.999Z", "2026-12"],
    ["2026-12-31T17:00:00.000Z", "2027-01"],
    ["2028-02-28T17:00:00.000Z", "2028-02"],
    ["2028-02-29T16:59:59.999Z", "2028-02"],
    ["2028-02-29T17:00:00.000Z", "2028-03"],
    ["2026-02-28T17:00:00.000Z", "2026-03"]
  ])("of %s is %s: it starts at 17:00 UTC", (moment, month) => {
    assert.strictEqual(quotaMonth(Date.parse(moment)), month)
  })
})

describe("the time of a slip", () => {
  it.each([
    ["2026-11-21T08:45:00.999Z", "2026-11-21T15:45:00+07:00"],
    ["2026-12-31T17:00:00.000Z", "2027-01-01T00:00:00+07:00"],
    ["2028-02-28T23:00:00.000Z", "2028-02-29T06:00:00+07:00"]
  ])("%s is written %s", (moment, written) => {
    assert.strictEqual(slipTime(Date.parse(moment)), written)
  })

  it("keeps non-zero milliseconds in other times", () => {
    const written = ["2026-11-21T15:45:00+07:00", "2026-11-21T15:45:00.007+07:00"]
    assert.deepStrictEqual(written.map((moment) => bangkokTime(Date.parse(moment))), written)
  })

  it.prop("is the same time, and its month is the quota month", [Seconds], ([seconds]) => {
    const written = slipTime(seconds * 1_000)
    assert.strictEqual(Date.parse(written), seconds * 1_000)
    assert.strictEqual(quotaMonth(seconds * 1_000), written.slice(0, 7))
  })
})

describe("a wall clock in Bangkok", () => {
  it.prop("has one time for every moment", [Seconds], ([seconds]) => {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (slipTime(seconds * 1_000).slice(0, 19))
      .split(/[-T:]/u).map(Number)
    assert.strictEqual(fromBangkok(year, month, day, hour, minute, second), seconds * 1_000)
  })

  it("has 29 February in leap years", () => {
    assert.strictEqual(fromBangkok(2028, 2, 29, 7, 0, 0), Date.UTC(2028, 1, 29))
    assert.strictEqual(fromBangkok(2000, 2, 29, 7, 0, 0), Date.UTC(2000, 1, 29))
  })

  it.each([
    [2026, 2, 29, 0, 0, 0],
    [2100, 2, 29, 0, 0, 0],
    [2026, 0, 1, 0, 0, 0],
    [2026, 13, 1, 0, 0, 0],
    [2026, 4, 31, 0, 0, 0],
    [2026, 4, 0, 0, 0, 0],
    [2026, 4, 1, 24, 0, 0],
    [2026, 4, 1, 23, 60, 0],
    [2026, 4, 1, 23, 59, 60],
    [2026, 4, 1, -1, 0, 0],
    [2026, 4, 1, 12, -1, 0],
    [2026, 4, 1, 12, 0, -1],
    [2026, 4, 1, 12, 0, 0.5],
    [26, 4, 1, 12, 0, 0],
    [0, 1, 1, 0, 0, 0],
    [Number.NaN, 4, 1, 12, 0, 0]
  ])("has no time %d-%d-%d %d:%d:%d", (year, month, day, hour, minute, second) => {
    assert.isUndefined(fromBangkok(year, month, day, hour, minute, second))
  })
})

const parse = (text: string, ofDay: "first" | "last" = "last") => {
  const parsed = parseTimeInBangkok(text, ofDay)
  return parsed === undefined ? undefined : [new Date(parsed.at).toISOString(), parsed.isBangkok]
}

describe("a time entered by a person", () => {
  it("is parsed as ISO 8601 with an offset", () => {
    assert.deepStrictEqual(parse("2026-11-21T08:45:00Z"), ["2026-11-21T08:45:00.000Z", false])
    assert.deepStrictEqual(parse("2026-11-21T15:45:01.5+07:00"), ["2026-11-21T08:45:01.500Z", false])
    assert.deepStrictEqual(parse("2026-11-20T22:45-10:00"), ["2026-11-21T08:45:00.000Z", false])
    assert.deepStrictEqual(parse("2026-11-21 08:45:00.007z"), ["2026-11-21T08:45:00.007Z", false])
  })

  it("may have a space instead of the plus sign, as in an unescaped URL", () => {
    assert.deepStrictEqual(parse("2026-11-21T15:45:00 07:00"), ["2026-11-21T08:45:00.000Z", false])
  })

  it("is in Bangkok when it has no offset", () => {
    assert.deepStrictEqual(parse("2026-11-21 15:45"), ["2026-11-21T08:45:00.000Z", true])
    assert.deepStrictEqual(parse(" 2026-11-21T15:45:30 "), ["2026-11-21T08:45:30.000Z", true])
    assert.deepStrictEqual(parse("2026-01-01 00:00"), ["2025-12-31T17:00:00.000Z", true])
  })

  it("of a day only is the first or the last millisecond of the day in Bangkok", () => {
    assert.deepStrictEqual(parse("2026-11-21", "first"), ["2026-11-20T17:00:00.000Z", true])
    assert.deepStrictEqual(parse("2026-11-21", "last"), ["2026-11-21T16:59:59.999Z", true])
  })

  it("is undefined for a date or time that does not exist", () => {
    const invalid = [
      "",
      "now",
      "2026-11",
      "2026-02-30",
      "2026-13-01",
      "2026-11-21T24:00:00Z",
      "2026-11-21 15:60",
      "2026-11-21 15",
      "2026-11-21T15:45:00+15:00",
      "2026-11-21T15:45:00+07:60",
      "2026-11-21Z",
      "21/11/2026",
      "2026-11-21T15:45:00.1234Z"
    ]
    for (const text of invalid) assert.isUndefined(parse(text), text)
  })
})
