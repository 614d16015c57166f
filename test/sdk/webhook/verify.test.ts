import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { Webhook } from "standardwebhooks"
import type { verifyBankData } from "../../../application/verification/verification-view.ts"
import {
  type CallbackHeaders,
  verify,
  type VerifyBankData,
  WebhookError,
  type WebhookErrorReason
} from "../../../sdk/webhook/verify.ts"
import { readImports } from "../../../tools/imports/read-imports.ts"
import { exampleBody, exampleJobId, exampleSecrets, signedCallback } from "../../support/signed-callback.ts"

const { newest, previous, unrelated } = exampleSecrets

const assertRefused = async (reason: WebhookErrorReason, verifying: Promise<unknown>): Promise<void> => {
  const error = await verifying.then((callback) => callback, (error: unknown) => error)
  assert.instanceOf(error, WebhookError)
  assert.deepStrictEqual({ name: error.name, reason: error.reason }, { name: "WebhookError", reason })
  for (const secret of Object.values(exampleSecrets)) assert.notInclude(error.message, secret.slice("whsec_".length))
}

const assertInvalidArguments = async (verifying: Promise<unknown>, message: RegExp): Promise<void> => {
  const error = await verifying.then((callback) => callback, (error: unknown) => error)
  assert.instanceOf(error, TypeError)
  assert.match(error.message, message)
}

const without = (headers: Readonly<Record<string, string>>, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** Accepts `X-Service-Signature` alone. */
const anyTime = { requireTimestamp: false }

const standardHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"]

describe("verify, with a genuine callback", () => {
  it("returns it parsed, from text and from every kind of bytes", async () => {
    const { body, headers } = await signedCallback()
    for (const raw of [body, body.buffer, Buffer.from(body), exampleBody()]) {
      const callback = await verify(raw, headers, newest)
      assert.deepStrictEqual(JSON.stringify(callback), exampleBody())
      assert.strictEqual(callback.status === "not_found" ? callback.error.code : "", "SLIP_NOT_FOUND")
    }
  })

  it("reads a Headers object and Node's headers, in upper or lower case", async () => {
    const { body, headers } = await signedCallback()
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    const given: ReadonlyArray<CallbackHeaders> = [
      headers,
      upperCase,
      lists,
      new Headers(headers),
      new Request(
        "https://receiver.test",
        { headers }
      ).headers
    ]
    for (const one of given) assert.strictEqual((await verify(body, one, [newest])).jobId, exampleJobId)
  })

  it("accepts webhook-signature alone, and X-Service-Signature alone only without requireTimestamp", async () => {
    const { body, headers } = await signedCallback()
    await verify(body, without(headers, "x-service-signature"), newest)
    const withoutTimestamp = without(headers, ...standardHeaders)
    await assertRefused("missing-signature", verify(body, withoutTimestamp, newest))
    await verify(body, withoutTimestamp, newest, { requireTimestamp: false })
  })

  it("refuses an old callback without the headers that hold its time", async () => {
    const { body, headers } = await signedCallback({ at: Date.parse("2026-11-21T08:45:30Z") })
    await assertRefused("too-old", verify(body, headers, newest))
    await assertRefused("missing-signature", verify(body, without(headers, ...standardHeaders), newest))
  })

  it("accepts during a rotation with either of the secrets", async () => {
    const { body, headers } = await signedCallback({ secrets: [newest, previous] })
    for (const known of [[newest], [previous], [newest, previous], [previous, unrelated]]) {
      await verify(body, headers, known)
    }
    const before = await signedCallback({ secrets: [previous] })
    await verify(before.body, before.headers, [newest, previous])
    await verify(before.body, without(before.headers, ...standardHeaders), [newest, previous], anyTime)
  })

  it("accepts a signature of the published library", async () => {
    const at = new Date()
    const headers = {
      "webhook-id": exampleJobId,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(newest).sign(exampleJobId, at, exampleBody())
    }
    assert.strictEqual((await verify(exampleBody(), headers, [previous, newest])).jobId, exampleJobId)
    await assertRefused("wrong-signature", verify(exampleBody(), headers, previous))
  })

  it("agrees with the published library about the requests of the service", async () => {
    const { body, headers } = await signedCallback({ secrets: [newest, previous] })
    for (const secret of [newest, previous]) {
      const published = new Webhook(secret).verify(exampleBody(), { ...headers })
      assert.deepStrictEqual(published, await verify(body, headers, secret))
    }
    assert.throws(() => new Webhook(unrelated).verify(exampleBody(), { ...headers }))
    await assertRefused("wrong-signature", verify(body, headers, unrelated))
  })
})

describe("verify, with any other request", () => {
  it("refuses other bytes with the same meaning", async () => {
    const { headers } = await signedCallback()
    const rewritten = JSON.stringify(JSON.parse(exampleBody()), null, 1)
    for (const body of [rewritten, `${exampleBody()}\n`, exampleBody().replace("SLIP", "SLAP"), ""]) {
      await assertRefused("wrong-signature", verify(body, headers, newest))
      await assertRefused("wrong-signature", verify(body, without(headers, ...standardHeaders), newest, anyTime))
    }
  })

  it("refuses another id or another time than was signed", async () => {
    const { body, headers } = await signedCallback()
    const later = String(Number(headers["webhook-timestamp"]) + 1)
    for (const change of [{ "webhook-id": "another" }, { "webhook-timestamp": later }]) {
      await assertRefused("wrong-signature", verify(body, { ...headers, ...change }, newest))
    }
  })

  it("does not fall back to X-Service-Signature when webhook-signature is wrong", async () => {
    const { body, headers } = await signedCallback()
    await assertRefused("wrong-signature", verify(body, { ...headers, "webhook-signature": "v1,AAAA" }, newest))
  })

  it("refuses a missing or incomplete signature", async () => {
    const { body, headers } = await signedCallback()
    await assertRefused("missing-signature", verify(body, {}, newest))
    await assertRefused("missing-signature", verify(body, new Headers(), newest))
    await assertRefused("missing-signature", verify(body, without(headers, "webhook-id"), newest))
    await assertRefused("missing-signature", verify(body, without(headers, "webhook-timestamp"), newest))
    await assertRefused("missing-signature", verify(body, {}, newest, anyTime))
  })

  it("refuses a timestamp more than five minutes away, or more than the given tolerance", async () => {
    const at = Date.parse("2026-11-21T08:45:30Z")
    const { body, headers } = await signedCallback({ at })
    const atOffset = (seconds: number) => ({ now: at + seconds * 1_000 })
    for (const seconds of [-300, 0, 300]) await verify(body, headers, newest, atOffset(seconds))
    await assertRefused("too-old", verify(body, headers, newest, atOffset(301)))
    await assertRefused("too-new", verify(body, headers, newest, atOffset(-301)))
    await assertRefused("too-old", verify(body, headers, newest))
    await assertRefused("too-old", verify(body, headers, newest, { ...atOffset(11), toleranceSeconds: 10 }))
    await verify(body, headers, newest, { ...atOffset(3_600), toleranceSeconds: 3_600 })
    await assertRefused("wrong-signature", verify(body, headers, unrelated, atOffset(301)))
  })

  it("refuses a signed body that is not a callback in JSON", async () => {
    const objects = ["{}", `{"jobId":1,"status":"success"}`, `{"jobId":"a","status":"x"}`]
    for (const body of ["", "ok", "{", "null", "[]", ...objects]) {
      const { headers } = await signedCallback({ body })
      await assertRefused("not-json", verify(body, headers, newest))
      await assertRefused("wrong-signature", verify(body, headers, previous))
    }
  })

  it("refuses a signed body that is not UTF-8", async () => {
    const latin = Uint8Array.from([0x7b, 0x22, 0xe9, 0x22, 0x7d])
    const key = await crypto.subtle.importKey(
      "raw",
      new TextEncoder().encode(newest),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"]
    )
    const mac = Buffer.from(await crypto.subtle.sign("HMAC", key, latin)).toString("hex")
    await assertRefused("not-json", verify(latin, { "x-service-signature": `sha256=${mac}` }, newest, anyTime))
  })
})

describe("verify, with invalid arguments", () => {
  it("distinguishes an invalid secret from an invalid callback", async () => {
    const { body, headers } = await signedCallback()
    await assertInvalidArguments(verify(body, headers, []), /no webhook secret is given/u)
    const bare = newest.slice("whsec_".length)
    for (const secret of ["", "whsec_", bare, `${newest}\n`, "whsec_ไทย", newest.slice(0, -2)]) {
      await assertInvalidArguments(verify(body, headers, [newest, secret]), /a webhook secret is not whsec_/u)
    }
  })

  it("requires the raw body", async () => {
    const { headers } = await signedCallback()
    const parsed: string = JSON.parse(exampleBody())
    await assertInvalidArguments(verify(parsed, headers, newest), /before anything parsed them/u)
  })
})

describe("sliptrail/webhook", () => {
  it("has the types of the sent bodies", () => {
    // The type checker fails when a sent body does not have the published type.
    const promised = (data: ReturnType<typeof verifyBankData>): VerifyBankData => data
    assert.isFunction(promised)
  })

  it("imports only files of its folder, no package and no platform module", () => {
    const root = fileURLToPath(new URL("../../../", import.meta.url))
    const { exports }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(`${root}package.json`, "utf8")
    )
    const open = [posix.normalize(exports["./webhook"] ?? "")]
    const found = new Set<string>()
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      found.add(file)
      for (const { specifier } of readImports(file, readFileSync(root + file, "utf8"))) {
        assert.match(specifier, /^\.{1,2}\//u, file)
        open.push(posix.join(posix.dirname(file), specifier))
      }
    }
    assert.sameMembers([...found], [
      "sdk/webhook/verify.ts",
      "sdk/webhook/callback.ts",
      "sdk/webhook/signature.ts"
    ])
  })
})
