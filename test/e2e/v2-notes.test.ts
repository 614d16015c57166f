import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { given } from "./situations.ts"

interface Note {
  readonly noteId: string
  readonly at: string
  readonly text: string | null
  readonly keyId: string | null
}

/** A branch, and what adds and reads notes with one of its keys. */
const branch = Effect.gen(function* () {
  const own = yield* given()
  const { admin, call, key, verify } = own
  const add = (id: string, text: unknown, options: { readonly key?: string; readonly headers?: object } = {}) =>
    call<Note>("POST", `/v2/verifications/${id}/notes`, {
      key: options.key ?? key,
      body: { text },
      headers: { ...options.headers }
    })
  const notes = (id: string) =>
    Effect.map(
      call<{ readonly notes: ReadonlyArray<Note> }>("GET", `/v2/verifications/${id}`, { key }),
      ({ data }) => data.notes
    )
  const slip = newSlip()
  const { data: { verificationId } } = yield* verify(key, { payload: slip.payload })
  return { ...own, admin, add, notes, slip, verificationId }
})

const UNKNOWN = "0f8fad5b-d9cb-4f69-a165-70867728950e"

layer.live(layerRunningService())("a note", (it) => {
  it.effect("is read with its verification, the oldest first, and names the key that wrote it", function* () {
    const { add, call, key, notes, verificationId } = yield* branch
    assert.deepStrictEqual(yield* notes(verificationId), [])
    const first = yield* add(verificationId.toUpperCase(), "  โต๊ะ 7 <b>☕</b>\n2nd line ")
    assert.strictEqual(first.status, 201, first.text)
    assert.deepInclude(first.data, { text: "โต๊ะ 7 <b>☕</b>\n2nd line", keyId: null })
    const till = yield* call<{ readonly id: string; readonly apiKey: string }>("POST", "/v2/keys", {
      key,
      body: { name: "Till 1", scopes: ["verify"] }
    })
    const second = yield* add(verificationId, "123", { key: till.data.apiKey })
    assert.strictEqual(second.data.keyId, till.data.id)
    assert.deepStrictEqual(yield* notes(verificationId), [first.data, second.data])
  })

  it.effect("is added once for each Idempotency-Key, also after more notes", function* () {
    const { add, notes, verificationId, verify, key } = yield* branch
    const headers = { "idempotency-key": randomUUID() }
    const first = yield* add(verificationId, "paid for two", { headers })
    yield* add(verificationId, "another")
    const again = yield* add(verificationId, "paid for two", { headers })
    assert.deepStrictEqual([again.status, again.data], [201, first.data])
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual((yield* notes(verificationId)).map(({ text }) => text), ["paid for two", "another"])
    const { data } = yield* verify(key, { payload: newSlip().payload })
    assertFailure(
      yield* add(data.verificationId, "paid for two", { headers }),
      409,
      "IDEMPOTENCY_KEY_REUSED",
      "This Idempotency-Key was used with another request"
    )
  })

  it.effect("belongs to a verification without a slip and to a job that ended too", function* () {
    const { add, call, key, notes, verify } = yield* branch
    const unknown = () => newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload
    const remark = randomUUID()
    yield* verify(key, { payload: unknown(), remark })
    yield* verify(key, { payload: "not a slip", remark })
    const list = call<{ readonly items: ReadonlyArray<{ readonly verificationId: string }> }>(
      "GET",
      `/v2/verifications?remark=${remark}`,
      { key }
    )
    const { data: { items } } = yield* eventually(list, ({ data }) => data.items.length === 2)
    const { data: { jobId } } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: unknown() }
    })
    const job = call<{ readonly status: string }>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
    yield* eventually(job, ({ data }) => data.status === "not_found")
    for (const id of [...items.map(({ verificationId }) => verificationId), jobId]) {
      assert.strictEqual((yield* add(id, "the payer pays again")).status, 201)
      assert.deepStrictEqual((yield* notes(id)).map(({ text }) => text), ["the payer pays again"])
    }
  })

  it.effect("is refused for another branch and for an unknown id alike, and leaves no trace", function* () {
    const { add, createBranch, notes, serviceId, verificationId } = yield* branch
    const { apiKey } = yield* createBranch(serviceId)
    for (const id of [verificationId, UNKNOWN, "x"]) {
      const refused = yield* add(id, "mine", { key: apiKey })
      assertFailure(refused, 404, "VERIFICATION_NOT_FOUND", "Verification not found")
    }
    assert.deepStrictEqual(yield* notes(verificationId), [])
  })

  it.effect("needs text of 1 to 500 characters, and a key that may verify", function* () {
    const { add, call, key, notes, verificationId } = yield* branch
    for (const wrong of ["", "   ", "x".repeat(501), 7, null]) {
      assertInvalid(yield* add(verificationId, wrong), "text")
    }
    const reader = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", {
      key,
      body: { name: "Accountant", scopes: ["read"] }
    })
    const refused = yield* add(verificationId, "mine", { key: reader.data.apiKey })
    assert.deepInclude(refused.error, { code: "SCOPE_MISSING" })
    assert.deepStrictEqual(yield* notes(verificationId), [])
    assert.strictEqual((yield* add(verificationId, "x".repeat(500))).status, 201)
  })

  it.effect("is sealed in the trail, and erased with its slip", function* () {
    const { add, admin, notes, slip, verificationId } = yield* branch
    yield* add(verificationId, "Somchai called")
    const trail = yield* admin<{ readonly events: ReadonlyArray<{ readonly type: string }> }>(
      "GET",
      `/trail?verification=${verificationId}`
    )
    const added = trail.data.events.filter(({ type }) => type === "NoteAdded")
    assert.lengthOf(added, 1, trail.text)
    assert.notInclude(trail.text, "Somchai called")
    const erased = yield* admin("POST", "/forget", { slip: `${slip.sendingBank}:${slip.transRef}` })
    assert.strictEqual(erased.status, 200, erased.text)
    assert.deepStrictEqual((yield* notes(verificationId)).map(({ text }) => text), [null])
  })
})
