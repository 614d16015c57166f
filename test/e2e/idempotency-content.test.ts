import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { drawSandboxSlip } from "../../infrastructure/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { assertReplayed, assertReused, formOf, post } from "./given-idempotency.ts"
import { layerShop } from "./given-shop.ts"

layer(
  layerShop({ EGRESS_ALLOW_CIDRS: "127.0.0.1/32", EGRESS_HOSTS: "images.test=127.0.0.1" }, 1_000),
  { excludeTestServices: true }
)("the content of a request with an Idempotency-Key", (it) => {
  it.effect("is the same in a form with another boundary", () =>
    Effect.gen(function* () {
      const key = randomUUID()
      const png = yield* drawSandboxSlip(newSlip())
      const first = yield* post(key, formOf(png, { matchAmount: "100", remark: "by form" }))
      assert.strictEqual(first.status, 200, first.text)
      assertReplayed(yield* post(key, formOf(png, { matchAmount: "100", remark: "by form" })), first)
      assertReused(yield* post(key, formOf(png, { matchAmount: "100", remark: "by another" })))
    }))

  it.effect("is the same in JSON and in both encodings of a form", () =>
    Effect.gen(function* () {
      const { payload } = newSlip()
      const conditions = { amount: { atLeast: 1.5 }, duplicate: "allow" }
      const json = { payload, matchAmount: 100, matchAccount: true, remark: "โต๊ะ 7 ☕ & 1+1=2", conditions }
      const text = { ...json, matchAmount: "100.00", matchAccount: "1", conditions: JSON.stringify(conditions) }
      const multipart = new FormData()
      for (const [name, value] of Object.entries(text)) multipart.append(name, value)
      const encodings = [json, { ...json, matchAccount: "True" }, new URLSearchParams(text), multipart]
      for (const first of encodings) {
        const key = randomUUID()
        const answer = yield* post(key, first)
        assert.strictEqual(answer.status, 200, answer.text)
        for (const again of encodings) assertReplayed(yield* post(key, again), answer)
        assertReused(yield* post(key, new URLSearchParams({ ...text, matchAmount: "100.01" })))
      }
    }))

  it.effect("is the same for a large picture as text in JSON and in an urlencoded form, but not as a file", () =>
    Effect.gen(function* () {
      const key = randomUUID()
      const png = yield* drawSandboxSlip(newSlip())
      // More than the main thread decodes itself.
      const base64 = Buffer.concat([png, new Uint8Array(100_000)]).toString("base64")
      const first = yield* post(key, { base64 })
      assert.strictEqual(first.status, 200, first.text)
      assertReplayed(yield* post(key, new URLSearchParams({ base64 })), first)
      assertReused(yield* post(key, formOf(Buffer.from(base64, "base64"))))
    }))

  it.effect("is the URL of a picture, and not the picture: the first answer is replayed although the URL now has another", () =>
    Effect.gen(function* () {
      let picture = yield* drawSandboxSlip(newSlip())
      const server = yield* httpServer((_, response) => response.end(picture))
      const body = { url: `http://images.test:${server.port}/slip.png` }
      const key = randomUUID()
      const first = yield* post(key, body)
      assert.strictEqual(first.status, 200, first.text)
      picture = yield* drawSandboxSlip(newSlip())
      assertReplayed(yield* post(key, body), first)
    }))
})
