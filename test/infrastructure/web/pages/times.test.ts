import { assert, describe, it } from "@effect/vitest"
import { durationText, relativeTime, timeView } from "../../../../infrastructure/web/pages/times.ts"

const now = Date.parse("2026-11-22T03:00:00Z")
const minute = 60_000
const day = 1_440 * minute

describe("times of a page", () => {
  it("are in Bangkok with their distance from now, and in UTC in the tooltip", () => {
    const { html } = timeView({ locale: "en-GB", now }, "2026-11-22T02:57:00.000Z")
    assert.strictEqual(
      html,
      '<time datetime="2026-11-22T02:57:00.000Z" title="2026-11-22T02:57:00.000Z (UTC)">22 Nov 2026, 09:57:00 '
        + '<span class="ago">3 minutes ago</span></time>'
    )
  })

  it("have no distance without a time of the request, and to the millisecond", () => {
    assert.notInclude(timeView({ locale: "en-GB" }, "2026-11-22T02:57:00.000Z").html, "ago")
    assert.notInclude(timeView({ locale: "en-GB", now }, "2026-11-22T02:57:00.000Z", "millisecond").html, "ago")
  })

  it("have a distance of up to 30 days, in both directions and languages", () => {
    assert.strictEqual(relativeTime("en-GB", now + 2 * day, now), "in 2 days")
    assert.strictEqual(relativeTime("th-TH", now - 5 * minute, now), "5 นาทีที่ผ่านมา")
    assert.strictEqual(relativeTime("en-GB", now, now), "now")
    assert.isUndefined(relativeTime("en-GB", now - 31 * day, now))
  })

  it("count the days of the calendar in Bangkok from 24 hours on", () => {
    const hour = 60 * minute
    const shown = (locale: string) =>
      [-47, -35, -34, -24, 24, 37, 38, 47].map((hours) => relativeTime(locale, now + hours * hour, now))
    // 10:00 in Bangkok: the day before yesterday ended 34 hours ago, and the day after tomorrow begins in 38 hours.
    assert.deepStrictEqual(shown("en-GB"), [
      "2 days ago",
      "2 days ago",
      "yesterday",
      "yesterday",
      "tomorrow",
      "tomorrow",
      "in 2 days",
      "in 2 days"
    ])
    assert.deepStrictEqual(shown("th-TH"), [
      "เมื่อวานซืน",
      "เมื่อวานซืน",
      "เมื่อวาน",
      "เมื่อวาน",
      "พรุ่งนี้",
      "พรุ่งนี้",
      "มะรืนนี้",
      "มะรืนนี้"
    ])
  })
})

describe("a length of time", () => {
  it("is shown in its two largest units", () => {
    const shown = (millis: number) => durationText({ locale: "en-GB" }, millis)
    assert.deepStrictEqual([0, 85, 61_000, 3_600_000, day + 90 * minute].map(shown), [
      "0 ms",
      "85 ms",
      "1 min 1 sec",
      "1 hr",
      "1 day 1 hr"
    ])
  })
})
