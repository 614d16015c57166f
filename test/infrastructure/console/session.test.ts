import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { makeSessions } from "../../../infrastructure/console/session.ts"

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
