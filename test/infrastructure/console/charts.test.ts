import { assert, describe, it } from "@effect/vitest"
import { timelinePositions } from "../../../infrastructure/console/events-view.ts"
import { chargesPerDay } from "../../../infrastructure/console/quota-section.ts"

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

describe("charges per day", () => {
  it("count by the days of Bangkok, and count late charges on the last day", () => {
    const days = chargesPerDay("2026-02", [
      Date.parse("2026-01-31T17:00:00Z"),
      Date.parse("2026-02-28T16:59:59Z"),
      Date.parse("2026-02-09T17:00:00Z"),
      Date.parse("2026-03-01T10:00:00Z")
    ])
    assert.strictEqual(days.length, 28)
    assert.deepStrictEqual([days[0], days[9], days[27]], [1, 1, 2])
    assert.strictEqual(days.reduce((sum, count) => sum + count, 0), 4)
  })
})
