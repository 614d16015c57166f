import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { makeSessions, type SignedIn } from "../../../../infrastructure/web/console/session.ts"

const minutes = (count: number) => count * 60_000
const limits = { maxMillis: minutes(480), idleMillis: minutes(30) }
const digest = (purpose: string, text: string) =>
  createHash("sha256").update(`${purpose}\n${text}`).digest("hex").slice(0, 32)
const now = Date.parse("2026-11-22T00:00:00Z")
const nok: SignedIn = { name: "nok.k+1@shop.example", role: "support", source: "token" }
const credential = () => "digest of the token"

const given = (keys = { digest }) => {
  const { read, renew, start } = makeSessions(keys, limits)
  return {
    renew,
    start: () => start(nok, credential(), now, 3),
    read: (value: string, at: number) => read(value, at, credential)
  }
}

describe("a console session", () => {
  it("is valid in every process with the same keys, and names its operator", () => {
    const session = given().start()
    assert.deepStrictEqual(given().read(session.value, now), session)
    assert.deepInclude(session, { ...nok, epoch: 3, startedAt: now, seenAt: now, expiresAt: now + minutes(480) })
  })

  it("keeps the name of an operator of a provider, whatever its characters are", () => {
    const { read, start } = makeSessions({ digest }, limits)
    const who: SignedIn = { name: "oidc:สมชาย ใจดี; a=b", role: "auditor", source: "oidc" }
    const { value } = start(who, "oidc", now, 0)
    assert.match(value, /^[\w.-]+$/u)
    assert.deepInclude(read(value, now, () => "oidc"), who)
  })

  it("ends after the idle time without a request", () => {
    const { read, start } = given()
    const { value } = start()
    assert.isDefined(read(value, now + minutes(30) - 1))
    assert.isUndefined(read(value, now + minutes(30)))
  })

  it("ends after its longest duration, although it is used", () => {
    const { read, renew, start } = given()
    let session = start()
    for (let at = now + minutes(20); at < now + minutes(480); at += minutes(20)) {
      assert.isDefined(read(session.value, at))
      session = renew(session, at) ?? session
    }
    assert.isDefined(read(session.value, now + minutes(480) - 1))
    assert.isUndefined(read(session.value, now + minutes(480)))
  })

  it("keeps id, operator and form token when it is renewed, which happens after a tenth of the idle time", () => {
    const { renew, start } = given()
    const session = start()
    assert.isUndefined(renew(session, now + minutes(3) - 1))
    const renewed = renew(session, now + minutes(3))
    assert.deepInclude(renewed, { ...nok, id: session.id, formToken: session.formToken, startedAt: now })
    assert.notStrictEqual(renewed?.value, session.value)
  })

  it("ends earlier when the limits become shorter", () => {
    const { value } = given().start()
    const shorter = makeSessions({ digest }, { maxMillis: minutes(10), idleMillis: minutes(30) })
    assert.isDefined(shorter.read(value, now + minutes(9), credential))
    assert.isUndefined(shorter.read(value, now + minutes(10), credential))
  })

  it("is not valid with another master key, with another credential of its operator, or without one", () => {
    const { value } = given().start()
    assert.isUndefined(given({ digest: (purpose, text) => digest(`other ${purpose}`, text) }).read(value, now))
    const { read } = makeSessions({ digest }, limits)
    assert.isUndefined(read(value, now, () => "digest of a new token"))
    assert.isUndefined(read(value, now, () => undefined))
  })

  it("is not valid with another role, source or name", () => {
    const { read, start } = given()
    const { value } = start()
    const parts = value.split(".")
    const changed = (index: number, part: string) => parts.with(index, part).join(".")
    assert.strictEqual(changed(5, "support"), value)
    assert.isUndefined(read(changed(5, "admin"), now))
    assert.isUndefined(read(changed(4, "oidc"), now))
    assert.isUndefined(read(changed(6, Buffer.from("admin").toString("base64url")), now))
  })

  it("has its own form token", () => {
    const { start } = given()
    assert.notStrictEqual(start().formToken, start().formToken)
  })
})
