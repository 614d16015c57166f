import { assert, describe, it } from "@effect/vitest"
import { makeBackoff } from "../../application/processes/work-queue.ts"
import { makeFailureLimiter } from "../../infrastructure/web/http/auth/failure-limiter.ts"
import { makeCpuBudget } from "../../infrastructure/adapters/pictures/cpu-budget.ts"

const YEAR_MILLIS = 365 * 86_400_000

/** Waits that a process keeps in memory, which begin at `at` and are asked about after the clock was set back. */
describe("after the clock is set back by a year", () => {
  const at = 60 * YEAR_MILLIS
  const now = at - YEAR_MILLIS

  it("a job that failed is tried again", () => {
    const backoff = makeBackoff()
    const candidate = { jobId: "j-1", lane: "branch-1", score: 0 }
    backoff.add(candidate, at, 60_000)
    assert.isTrue(backoff.has(candidate, at))
    assert.isFalse(backoff.has(candidate, now))
  })

  it("an address with wrong keys is no longer paused, and counts again", () => {
    const limiter = makeFailureLimiter(2)
    limiter.failed("192.0.2.1", at)
    limiter.failed("192.0.2.1", at)
    assert.isAbove(limiter.secondsToWait("192.0.2.1", at), 0)
    assert.strictEqual(limiter.secondsToWait("192.0.2.1", now), 0)
    assert.isFalse(limiter.failed("192.0.2.1", now))
    assert.isTrue(limiter.failed("192.0.2.1", now))
  })

  it("the budget of a branch for pictures is refilled", () => {
    const budget = makeCpuBudget(30_000)
    budget.charge("one", 31_000, at)
    const seconds = budget.retryAfterSeconds("one", now)
    assert.isAbove(seconds, 0)
    assert.strictEqual(budget.retryAfterSeconds("one", now + seconds * 1_000), 0)
  })
})
