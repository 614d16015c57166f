import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { makeLoginLimiter, makeSessions } from "../../../infrastructure/console/session.ts"

describe("a console session", () => {
  const digest = (purpose: string, text: string) =>
    createHash("sha256").update(`${purpose}\n${text}`).digest("hex").slice(0, 32)
  const now = Date.parse("2026-11-22T00:00:00Z")
  const hours = (count: number) => now + count * 3_600_000

  it("is valid for eight hours in every process with the same keys", () => {
    const { formToken, value } = makeSessions("token", { digest }).start(now)
    const elsewhere = makeSessions("token", { digest })
    assert.deepStrictEqual(elsewhere.read(value, hours(8) - 1), { formToken, value })
    assert.isUndefined(elsewhere.read(value, hours(8)))
  })

  it("is not valid with another token or another master key", () => {
    const { value } = makeSessions("token", { digest }).start(now)
    assert.isUndefined(makeSessions("another", { digest }).read(value, now))
    assert.isUndefined(
      makeSessions("token", { digest: (purpose, text) => digest(`other ${purpose}`, text) }).read(value, now)
    )
  })

  it("has its own form token", () => {
    const sessions = makeSessions("token", { digest })
    assert.notStrictEqual(sessions.start(now).formToken, sessions.start(now).formToken)
  })
})

describe("the login limiter", () => {
  it("pauses an address for a minute after five failures, without affecting others", () => {
    const { failed, secondsToWait, succeeded } = makeLoginLimiter()
    for (let count = 1; count <= 5; count++) {
      assert.strictEqual(secondsToWait("a", 0), 0)
      failed("a", 0)
    }
    assert.deepStrictEqual(
      [secondsToWait("a", 0), secondsToWait("a", 59_001), secondsToWait("a", 60_000), secondsToWait("b", 0)],
      [60, 1, 0, 0]
    )
    failed("a", 60_000)
    assert.strictEqual(secondsToWait("a", 60_000), 0)
    succeeded("a")
    assert.strictEqual(secondsToWait("a", 60_000), 0)
  })

  it("remembers a limited number of addresses", () => {
    const { failed, secondsToWait } = makeLoginLimiter()
    for (let count = 0; count < 5; count++) failed("first", 0)
    assert.strictEqual(secondsToWait("first", 0), 60)
    for (let index = 0; index < 10_000; index++) failed(`other ${index}`, 0)
    assert.strictEqual(secondsToWait("first", 0), 0)
  })
})
