import { assert, describe, it } from "@effect/vitest"
import { makeAdminLimiter } from "../../../../../infrastructure/web/http/auth/admin-limiter.ts"

const DAY = 24 * 3_600_000

const failTimes = (limiter: ReturnType<typeof makeAdminLimiter>, count: number, address: string, now: number) => {
  for (let index = 0; index < count; index++) limiter.failed(address, now)
}

/** One wrong token from each of `count` addresses. */
const failEverywhere = (limiter: ReturnType<typeof makeAdminLimiter>, count: number, now: number) => {
  for (let index = 0; index < count; index++) limiter.failed(`10.0.${index >> 8}.${index & 255}`, now)
}

describe("the admin limiter", () => {
  it("pauses an address for a minute after five failures, without affecting others", () => {
    const limiter = makeAdminLimiter()
    for (let count = 1; count <= 5; count++) {
      assert.strictEqual(limiter.secondsToWait("a", 0), 0)
      limiter.failed("a", 0)
    }
    assert.deepStrictEqual(
      [0, 59_001, 60_000].map((now) => limiter.secondsToWait("a", now)),
      [60, 1, 0]
    )
    assert.strictEqual(limiter.secondsToWait("b", 0), 0)
    limiter.failed("a", 60_000)
    assert.strictEqual(limiter.secondsToWait("a", 60_000), 0)
  })

  it("counts from the beginning after a success, and after a minute", () => {
    const limiter = makeAdminLimiter()
    failTimes(limiter, 4, "a", 0)
    limiter.succeeded("a", 0)
    failTimes(limiter, 4, "a", 0)
    assert.strictEqual(limiter.secondsToWait("a", 0), 0)
    limiter.failed("a", 60_000)
    assert.strictEqual(limiter.secondsToWait("a", 60_000), 0)
  })

  it("counts the IPv6 addresses of one network as one", () => {
    const limiter = makeAdminLimiter()
    for (let index = 1; index <= 5; index++) limiter.failed(`2001:db8:1:2::${index}`, 0)
    assert.strictEqual(limiter.secondsToWait("2001:db8:1:2:ffff::1", 0), 60)
    assert.strictEqual(limiter.secondsToWait("2001:db8:1:3::1", 0), 0)
  })

  it("pauses every unknown address after a hundred failures, but no address with a recent success", () => {
    const limiter = makeAdminLimiter()
    limiter.succeeded("operator", 0)
    failEverywhere(limiter, 99, 0)
    assert.strictEqual(limiter.secondsToWait("new", 0), 0)
    failEverywhere(limiter, 1, 0)
    assert.deepStrictEqual([limiter.secondsToWait("new", 0), limiter.secondsToWait("operator", 0)], [60, 0])
    assert.strictEqual(limiter.secondsToWait("new", 60_000), 0)
    failEverywhere(limiter, 100, DAY)
    assert.strictEqual(limiter.secondsToWait("operator", DAY), 60)
  })

  it("remembers a limited number of addresses", () => {
    const limiter = makeAdminLimiter()
    // Known, so that only its own failures count.
    limiter.succeeded("first", 0)
    failTimes(limiter, 5, "first", 0)
    assert.strictEqual(limiter.secondsToWait("first", 0), 60)
    failEverywhere(limiter, 10_000, 0)
    assert.strictEqual(limiter.secondsToWait("first", 0), 0)
  })
})
