import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  MAX_RETRY_AFTER_SECONDS,
  MAX_STATED_WAIT_MILLIS,
  retryAfterSeconds,
  statedWaitSeconds,
  waitLeft
} from "../../domain/waits.ts"

describe("a wait that another party states", () => {
  it.each([
    [0, 1],
    [-5, 1],
    [0.2, 1],
    [29.5, 30],
    [3_600, 3_600],
    [251_606_419_910, 3_600],
    [Infinity, 3_600],
    [-Infinity, 1],
    [NaN, 3_600]
  ])("of %d seconds is %d seconds", (stated, waited) => {
    assert.strictEqual(statedWaitSeconds(stated), waited)
  })

  it.prop("is whole, positive and bounded", [Schema.Number], ([seconds]) => {
    assert.isTrue(Number.isInteger(statedWaitSeconds(seconds)))
    assert.isAtLeast(statedWaitSeconds(seconds), 1)
    assert.isAtMost(statedWaitSeconds(seconds), MAX_STATED_WAIT_MILLIS / 1_000)
    assert.isAtMost(retryAfterSeconds(seconds), MAX_RETRY_AFTER_SECONDS)
  })
})

describe("what is left of a wait", () => {
  it.each([
    ["in the middle", 1_060, 1_000, 60],
    ["at its end", 1_000, 1_000, 0],
    ["after its end", 1_000, 5_000, 0],
    ["at its beginning", 1_100, 1_000, 100],
    ["after the clock was set back", 1_101, 1_000, 0],
    ["after an end that is no time", NaN, 1_000, 0]
  ])("%s", (_, until, now, left) => {
    assert.strictEqual(waitLeft(until, now, 100), left)
  })
})
