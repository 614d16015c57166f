import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { X509Certificate } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  fromText,
  identityIn,
  isUsable,
  makeIdentity,
  toText
} from "../../../../infrastructure/commands/receiver/identity.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const DAY_MILLIS = 24 * 60 * 60 * 1_000
const names = ["receiver.test", "127.0.0.1"]
const now = Date.parse("2026-11-21T08:45:30Z")

describe("the receiver's certificate", () => {
  it("is valid for its names under its authority", async () => {
    const { authority, certificate } = await makeIdentity(names, now)
    const issued = new X509Certificate(certificate)
    const issuer = new X509Certificate(authority)
    assert.strictEqual(issued.checkHost("receiver.test"), "receiver.test")
    assert.strictEqual(issued.checkIP("127.0.0.1"), "127.0.0.1")
    assert.isUndefined(issued.checkHost("localhost"))
    assert.deepStrictEqual([issuer.ca, issued.ca], [true, false])
    assert.isTrue(issued.checkIssued(issuer))
    assert.isTrue(issued.verify(issuer.publicKey))
    assert.match(issued.serialNumber, /^[4-7][0-9A-F]{31}$/u)
  })

  it("is usable for 29 days, with its own key and authority", async () => {
    const identity = await makeIdentity(names, now)
    const other = await makeIdentity(names, now)
    assert.deepStrictEqual(fromText(toText(identity)), identity)
    assert.isTrue(isUsable(identity, now))
    assert.isTrue(isUsable(identity, now + 28.9 * DAY_MILLIS))
    assert.isFalse(isUsable(identity, now + 29.1 * DAY_MILLIS))
    assert.isFalse(isUsable(identity, now - 2 * DAY_MILLIS))
    assert.isFalse(isUsable({ ...identity, key: other.key }, now))
    assert.isFalse(isUsable({ ...identity, authority: other.authority }, now))
  })

  it("is not read from a truncated text", async () => {
    const text = toText(await makeIdentity(names, now))
    for (const length of [0, 100, text.length - 1]) assert.isUndefined(fromText(text.slice(0, length)))
  })
})

describe("the folder of the receiver's certificate", () => {
  it.effect("returns the stored certificate, and a new one when it expires or is damaged", function* () {
    const folder = yield* temporaryFolder
    yield* TestClock.setTime(now)
    const first = yield* identityIn(folder)
    assert.deepStrictEqual(yield* identityIn(folder), first)
    assert.strictEqual(readFileSync(first.authorityFile, "utf8"), first.identity.authority)

    yield* TestClock.setTime(now + 30 * DAY_MILLIS)
    const second = yield* identityIn(folder)
    assert.notStrictEqual(second.identity.certificate, first.identity.certificate)

    writeFileSync(join(folder, "identity.pem"), "broken")
    const third = yield* identityIn(folder)
    assert.notStrictEqual(third.identity.certificate, second.identity.certificate)
    assert.strictEqual(readFileSync(first.authorityFile, "utf8"), third.identity.authority)
    assert.sameMembers(readdirSync(folder), ["ca.pem", "identity.pem"])
  })

  it.effect("fails when other users can write the folder, and when it is not a folder", function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "file"), "")
    const { message: noFolder } = yield* Effect.flip(identityIn(join(folder, "file")))
    assert.include(noFolder, "EEXIST")
    chmodSync(folder, 0o777)
    const { message } = yield* Effect.flip(identityIn(folder))
    assert.include(message, "other users can write there")
  })
})
