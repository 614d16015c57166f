import { assert, describe, it } from "@effect/vitest"
import { readMoment } from "../../domain/moment.ts"

const read = (text: string, ofDay: "first" | "last" = "last") => {
  const moment = readMoment(text, ofDay)
  return moment === undefined ? undefined : [new Date(moment.at).toISOString(), moment.isBangkok]
}

describe("a moment as a person writes it", () => {
  it("is what ISO 8601 with an offset says", () => {
    assert.deepStrictEqual(read("2026-11-21T08:45:00Z"), ["2026-11-21T08:45:00.000Z", false])
    assert.deepStrictEqual(read("2026-11-21T15:45:01.5+07:00"), ["2026-11-21T08:45:01.500Z", false])
    assert.deepStrictEqual(read("2026-11-20T22:45-10:00"), ["2026-11-21T08:45:00.000Z", false])
    assert.deepStrictEqual(read("2026-11-21 08:45:00.007z"), ["2026-11-21T08:45:00.007Z", false])
  })

  it("is also what was left of it when its plus sign went through a URL unescaped", () => {
    assert.deepStrictEqual(read("2026-11-21T15:45:00 07:00"), ["2026-11-21T08:45:00.000Z", false])
  })

  it("is the time in Bangkok without an offset", () => {
    assert.deepStrictEqual(read("2026-11-21 15:45"), ["2026-11-21T08:45:00.000Z", true])
    assert.deepStrictEqual(read(" 2026-11-21T15:45:30 "), ["2026-11-21T08:45:30.000Z", true])
    assert.deepStrictEqual(read("2026-01-01 00:00"), ["2025-12-31T17:00:00.000Z", true])
  })

  it("may be the first or the last of a day in Bangkok", () => {
    assert.deepStrictEqual(read("2026-11-21", "first"), ["2026-11-20T17:00:00.000Z", true])
    assert.deepStrictEqual(read("2026-11-21", "last"), ["2026-11-21T16:59:59.999Z", true])
  })

  it("is none that the calendar or the clock does not have", () => {
    const none = [
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
    for (const text of none) assert.isUndefined(read(text), text)
  })
})
