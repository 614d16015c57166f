import { assert, layer } from "../support/it.ts"
import { randomUUID } from "node:crypto"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { assertReplayed, assertReused, formOf, post } from "./given-idempotency.ts"
import { RunningService } from "../support/service.ts"
import { layerShop, Shop } from "./given-shop.ts"

layer.live(layerShop({ EGRESS_ALLOW_CIDRS: "127.0.0.1/32", EGRESS_HOSTS: "images.test=127.0.0.1" }, 1_000))(
  "the content of a request with an Idempotency-Key",
  (it) => {
    it.effect("is the same in a form with another boundary", function* () {
      const key = randomUUID()
      const png = yield* drawSandboxSlip(newSlip())
      const first = yield* post(key, formOf(png, { matchAmount: "100", remark: "by form" }))
      assert.strictEqual(first.status, 200, first.text)
      assertReplayed(yield* post(key, formOf(png, { matchAmount: "100", remark: "by form" })), first)
      assertReused(yield* post(key, formOf(png, { matchAmount: "100", remark: "by another" })))
    })

    it.effect("is the same in JSON and in both encodings of a form", function* () {
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
    })

    it.effect("is the fields that the operation reads: others do not count, in any encoding", function* () {
      const { payload } = newSlip()
      const known = { payload, matchAmount: 100 }
      const text = { payload, matchAmount: "100.00" }
      const multipart = new FormData()
      for (const [name, value] of Object.entries({ ...text, sentAt: "12:01" })) multipart.append(name, value)
      multipart.append("attachment", new Blob([new Uint8Array(3)]), "a.bin")
      const encodings = [
        known,
        { sentAt: "12:00", ...known, attempt: 2, trace: { id: [1] }, note: "", nothing: null, remark: "" },
        { ...known, junk: "x".repeat(100_000) },
        new URLSearchParams({ ...text, sentAt: "12:02", file2: "" }),
        multipart
      ]
      for (const first of encodings) {
        const key = randomUUID()
        const answer = yield* post(key, first)
        assert.strictEqual(answer.status, 200, answer.text)
        for (const again of encodings) assertReplayed(yield* post(key, again), answer)
        assertReused(yield* post(key, { ...known, remark: "another" }))
      }
    })

    it.effect("is the same in a batch whatever else its slips have, and in whatever order", function* () {
      const one = { payload: newSlip().payload, matchAmount: 100, matchAccount: true }
      const two = { payload: newSlip().payload, remark: "โต๊ะ 7" }
      const bodies = [
        { slips: [one, two] },
        { attempt: 2, slips: [{ sentAt: "12:00", ...one, bankCode: "" }, { ...two, index: 1, conditions: null }] },
        {
          slips: [
            { matchAccount: "1", matchAmount: "100.00", payload: one.payload },
            { remark: two.remark, payload: two.payload }
          ],
          callbackUrl: ""
        },
        { slips: [one, two], junk: "x".repeat(100_000) }
      ]
      for (const first of bodies) {
        const key = randomUUID()
        const answer = yield* post<object>(key, first, "/batch")
        assert.strictEqual(answer.status, 202, answer.text)
        for (const again of bodies) assertReplayed(yield* post(key, again, "/batch"), answer)
        assertReused(yield* post(key, { slips: [two, one] }, "/batch"))
        assertReused(yield* post(key, { slips: [one, { ...two, remark: "another" }] }, "/batch"))
      }
    })

    it.effect("of a bank account and of a note is their fields, too", function* () {
      const { call } = yield* RunningService
      const { key } = yield* Shop
      const send = (path: string, idempotencyKey: string, body: unknown) =>
        call<{ readonly verificationId: string }>("POST", path, {
          key,
          body,
          headers: { "idempotency-key": idempotencyKey }
        })
      const account = { bankCode: "004", bankNumber: "0123456789", nameTh: "นาย สมชาย ใจดี" }
      const created = yield* send("/v2/bank-accounts", "account", account)
      assert.strictEqual(created.status, 201, created.text)
      for (const again of [{ ...account, form: 7, nameEn: "" }, new URLSearchParams({ ...account, csrf: "a" })]) {
        assertReplayed(yield* send("/v2/bank-accounts", "account", again), created)
      }
      assertReused(yield* send("/v2/bank-accounts", "account", { ...account, type: "PERSONAL" }))

      const { data } = yield* post(randomUUID(), { payload: newSlip().payload })
      const notes = `/v2/verifications/${data.verificationId}/notes`
      const noted = yield* send(notes, "note", { text: "The payer called" })
      assert.strictEqual(noted.status, 201, noted.text)
      assertReplayed(yield* send(notes, "note", { text: "The payer called", at: "now" }), noted)
      assertReused(yield* send(notes, "note", { text: "Another" }))
    })

    it.effect("is the same for a large picture as text in JSON and in an urlencoded form, but not as a file", function* () {
      const key = randomUUID()
      const png = yield* drawSandboxSlip(newSlip())
      // More than the main thread decodes itself.
      const base64 = Buffer.concat([png, new Uint8Array(100_000)]).toString("base64")
      const first = yield* post(key, { base64 })
      assert.strictEqual(first.status, 200, first.text)
      assertReplayed(yield* post(key, new URLSearchParams({ base64 })), first)
      assertReused(yield* post(key, formOf(Buffer.from(base64, "base64"))))
    })

    it.effect("is the URL of a picture, and not the picture: the first answer is replayed although the URL now has another", function* () {
      let picture = yield* drawSandboxSlip(newSlip())
      const server = yield* httpServer((_, response) => response.end(picture))
      const body = { url: `http://images.test:${server.port}/slip.png` }
      const key = randomUUID()
      const first = yield* post(key, body)
      assert.strictEqual(first.status, 200, first.text)
      picture = yield* drawSandboxSlip(newSlip())
      assertReplayed(yield* post(key, body), first)
    })
  }
)
