import { assert, describe, it } from "@effect/vitest"
import {
  APPEND_MILLIS,
  APPEND_TRY_MILLIS,
  LAST_TRY_MILLIS,
  MAX_ANSWER_MILLIS,
  READ_MILLIS
} from "../../../ports/log-waits.ts"
import { CONFIRM_MILLIS, HOLD_MILLIS } from "../../../ports/quota.ts"

const PAUSE_MILLIS = 2_000

describe("the waits for the log", () => {
  it("let one read and one append end before the answer is due", () => {
    assert.isBelow(READ_MILLIS + APPEND_MILLIS, MAX_ANSWER_MILLIS)
  })

  it("outlast a pause of the log of two seconds", () => {
    assert.isAbove(READ_MILLIS, PAUSE_MILLIS)
    assert.isAbove(APPEND_MILLIS, PAUSE_MILLIS)
    assert.isBelow(LAST_TRY_MILLIS, PAUSE_MILLIS, "the last try waits for the end of the pause")
  })

  it("end before a unit of a quota may belong to another request", () => {
    assert.isBelow(APPEND_MILLIS, HOLD_MILLIS)
    assert.isAtMost(APPEND_TRY_MILLIS, CONFIRM_MILLIS)
  })
})
