import { assert, describe, it } from "@effect/vitest"
import { relativeTime } from "../../../infrastructure/console/list-cells.ts"

const now = Date.parse("2026-11-23T05:00:00.000Z")

describe("the time of a row", () => {
  it("is relative to now in its largest whole unit, before and after it", () => {
    const cases: ReadonlyArray<readonly [number, string]> = [
      [0, "now"],
      [-999, "now"],
      [-59_999, "59 seconds ago"],
      [-60_000, "1 minute ago"],
      [-3_599_999, "59 minutes ago"],
      [-7_200_000, "2 hours ago"],
      [-86_400_000, "yesterday"],
      [-90 * 86_400_000, "90 days ago"],
      [120_000, "in 2 minutes"]
    ]
    for (const [distance, text] of cases) assert.strictEqual(relativeTime("en-GB", now + distance, now), text)
    assert.strictEqual(relativeTime("th-TH", now - 180_000, now), "3 นาทีที่ผ่านมา")
  })
})
