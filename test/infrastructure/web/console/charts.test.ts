import { assert, describe, it } from "@effect/vitest"
import { timelinePositions } from "../../../../infrastructure/web/console/events-view.ts"
import { daysOfMonth } from "../../../../infrastructure/web/console/quota-section.ts"

describe("timeline positions", () => {
  it("keep events in order, apart and within the width for waits of any length", () => {
    const day = 86_400_000
    const positions = timelinePositions([0, 0, 1, 5, 30_000, day, 8 * day])
    for (const [index, position] of positions.entries()) {
      assert.isTrue(position >= 2 && position <= 98.001)
      if (index > 0) assert.isAbove(position - (positions[index - 1] ?? 0), 1)
    }
    assert.deepStrictEqual(timelinePositions([7]), [50])
    assert.deepStrictEqual(timelinePositions([]), [])
  })
})

describe("the days of a month", () => {
  it("are those of Bangkok, without a gap, and the last one has no end", () => {
    const days = daysOfMonth("2026-02")
    assert.strictEqual(days.length, 28)
    assert.deepStrictEqual(days[0], {
      from: Date.parse("2026-01-31T17:00:00Z"),
      to: Date.parse("2026-02-01T16:59:59.999Z")
    })
    assert.deepStrictEqual(days[27], { from: Date.parse("2026-02-27T17:00:00Z") })
    for (const [index, { from = 0 }] of days.entries()) {
      if (index > 0) assert.strictEqual(from - 1, days[index - 1]?.to)
    }
    assert.deepStrictEqual(["2024-02", "2026-12"].map((month) => daysOfMonth(month).length), [29, 31])
  })
})
