import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { makeSessions } from "../../../infrastructure/console/session.ts"

const minutes = (count: number) => count * 60_000
const limits = { maxMillis: minutes(480), idleMillis: minutes(30) }
const digest = (purpose: string, text: string) =>
  createHash("sha256").update(`${purpose}\n${text}`).digest("hex").slice(0, 32)
const now = Date.parse("2026-11-22T00:00:00Z")

describe("a console session", () => {
  it("is valid in every process with the same keys", () => {
    const session = makeSessions("token", { digest }, limits).start(now, 3)
    assert.deepStrictEqual(makeSessions("token", { digest }, limits).read(session.value, now), session)
    assert.deepInclude(session, { epoch: 3, startedAt: now, seenAt: now, expiresAt: now + minutes(480) })
  })

  it("ends after the idle time without a request", () => {
    const { read, start } = makeSessions("token", { digest }, limits)
    const { value } = start(now, 0)
    assert.isDefined(read(value, now + minutes(30) - 1))
    assert.isUndefined(read(value, now + minutes(30)))
  })

  it("ends after its longest duration, although it is used", () => {
    const { read, renew, start } = makeSessions("token", { digest }, limits)
    let session = start(now, 0)
    for (let at = now + minutes(20); at < now + minutes(480); at += minutes(20)) {
      assert.isDefined(read(session.value, at))
      session = renew(session, at) ?? session
    }
    assert.isDefined(read(session.value, now + minutes(480) - 1))
    assert.isUndefined(read(session.value, now + minutes(480)))
  })

  it("keeps id and form token when it is renewed, which happens after a tenth of the idle time", () => {
    const { renew, start } = makeSessions("token", { digest }, limits)
    const session = start(now, 0)
    assert.isUndefined(renew(session, now + minutes(3) - 1))
    const renewed = renew(session, now + minutes(3))
    assert.deepInclude(renewed, { id: session.id, formToken: session.formToken, startedAt: now })
    assert.notStrictEqual(renewed?.value, session.value)
  })

  it("ends earlier when the limits become shorter", () => {
    const { value } = makeSessions("token", { digest }, limits).start(now, 0)
    const shorter = makeSessions("token", { digest }, { maxMillis: minutes(10), idleMillis: minutes(30) })
    assert.isDefined(shorter.read(value, now + minutes(9)))
    assert.isUndefined(shorter.read(value, now + minutes(10)))
  })

  it("is not valid with another token or another master key", () => {
    const { value } = makeSessions("token", { digest }, limits).start(now, 0)
    assert.isUndefined(makeSessions("another", { digest }, limits).read(value, now))
    const otherKey = { digest: (purpose: string, text: string) => digest(`other ${purpose}`, text) }
    assert.isUndefined(makeSessions("token", otherKey, limits).read(value, now))
  })

  it("has its own form token", () => {
    const { start } = makeSessions("token", { digest }, limits)
    assert.notStrictEqual(start(now, 0).formToken, start(now, 0).formToken)
  })
})
