import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import {
  isServiceSignature,
  isStandardSignature,
  serviceSignature,
  signatures,
  signingKey,
  standardSignature
} from "../../../sdk/webhook/signature.ts"

const newest = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwq8xDo2VzZWQ="
const previous = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4gQbWUf3cHM="
const unrelated = "whsec_9WRTbLzs4TzXGDvVq0uvzhC/6Vv5OJgzAYtQr1z4cWU="
const body = `{"jobId":"j-1","status":"success","data":{"remark":"โต๊ะ 5 ☕"}}`
const bytes = new TextEncoder().encode(body)
const now = Math.floor(Date.now() / 1_000)
const message = { id: "7b0c8a8e-6f6b-4c5e-9d53-0f6d3a2b1c4d", timestamp: String(now), body }

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8")
const decoded = (secret: string) => Buffer.from(secret.slice("whsec_".length), "base64")
const expectedStandard = (secret: string) =>
  `v1,${hmac(decoded(secret), `${message.id}.${message.timestamp}.${body}`).digest("base64")}`

const published = (secret: string) => new Webhook(secret).sign(message.id, new Date(now * 1_000), body)

describe("X-Service-Signature", () => {
  it("is the HMAC of the bytes under the whole secret", async () => {
    const expected = `sha256=${hmac(newest, body).digest("hex")}`
    assert.strictEqual(await serviceSignature(body, newest), expected)
    assert.strictEqual(await serviceSignature(bytes, newest), expected)
  })

  it("does not change between versions", async () => {
    assert.strictEqual(
      await serviceSignature("{}", newest),
      "sha256=da44b797471e37ff09c8b1e503e76c6c50e6728f13192b8fb0e68b71787a0710"
    )
  })

  it("is accepted only under the signing secret", async () => {
    const header = await serviceSignature(body, previous)
    assert.isTrue(await isServiceSignature(header, bytes, [newest, previous]))
    assert.isTrue(await isServiceSignature(header.toUpperCase().replace("SHA256", "sha256"), body, [previous]))
    assert.isFalse(await isServiceSignature(header, body, [newest, unrelated]))
    assert.isFalse(await isServiceSignature(header, body, []))
  })

  it("is refused for other bytes, truncated, or without its prefix", async () => {
    const header = await serviceSignature(body, newest)
    const bare = header.slice("sha256=".length)
    for (const wrong of ["", bare, header.slice(0, -2), `${header}00`, `sha1=${bare}`, `sha256=${"zz".repeat(32)}`]) {
      assert.isFalse(await isServiceSignature(wrong, body, [newest]), wrong)
    }
    assert.isFalse(await isServiceSignature(header, body.replace("j-1", "j-2"), [newest]))
    assert.isFalse(await isServiceSignature(header, JSON.stringify(JSON.parse(body), null, 1), [newest]))
  })
})

describe("webhook-signature", () => {
  it("is the HMAC of id, timestamp and body under the decoded base64 of the secret", async () => {
    assert.strictEqual(await standardSignature(message, [newest]), expectedStandard(newest))
    assert.strictEqual(await standardSignature({ ...message, body: bytes }, [newest]), expectedStandard(newest))
  })

  it("has a signature of each secret during a rotation, the newest first", async () => {
    const header = await standardSignature(message, [newest, previous])
    assert.strictEqual(header, `${expectedStandard(newest)} ${expectedStandard(previous)}`)
  })

  it("equals that of the published library, which accepts it under either secret", async () => {
    const signed = await standardSignature(message, [newest, previous])
    assert.strictEqual(signed.split(" ")[0], published(newest))
    const headers = { "webhook-id": message.id, "webhook-timestamp": message.timestamp, "webhook-signature": signed }
    for (const secret of [newest, previous]) {
      assert.deepStrictEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
    }
    assert.throws(() => new Webhook(unrelated).verify(body, headers), /No matching signature/u)
  })

  it("is accepted when one of its signatures is valid under one of the secrets", async () => {
    const header = await standardSignature(message, [newest, previous])
    assert.isTrue(await isStandardSignature(header, message, [previous]))
    assert.isTrue(
      await isStandardSignature(`v2,abc ${header} v1,bad`, { ...message, body: bytes }, [unrelated, newest])
    )
    assert.isTrue(await isStandardSignature(published(newest), message, [newest]))
    assert.isFalse(await isStandardSignature(header, message, [unrelated]))
  })

  it("is refused for another message", async () => {
    const header = await standardSignature(message, [newest])
    for (const change of [{ id: "other" }, { timestamp: String(now + 1) }, { body: `${body} ` }]) {
      assert.isFalse(await isStandardSignature(header, { ...message, ...change }, [newest]))
    }
    assert.isFalse(await isStandardSignature("", message, [newest]))
    assert.isFalse(await isStandardSignature(header.replace("v1,", "v1a,"), message, [newest]))
  })
})

describe("prepared secrets", () => {
  it("give the same signatures as unprepared secrets, in both headers", async () => {
    const ready = [await signingKey(newest), await signingKey(previous)] as const
    for (const sent of [message, { ...message, body: bytes }]) {
      assert.deepStrictEqual(await signatures(sent, ready), {
        service: await serviceSignature(body, newest),
        standard: await standardSignature(message, [newest, previous])
      })
    }
  })
})
