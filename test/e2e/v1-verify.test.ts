import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { rawSlip } from "../../application/verification/verification-view.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertV1Failure } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-picture.ts"
import { env, given } from "./situations.ts"

type RawSlip = ReturnType<typeof rawSlip>

const post = Effect.fnUntraced(function* (body: unknown, path = "/v1/verify", key?: string) {
  const { call } = yield* RunningService
  return yield* call<RawSlip>("POST", path, { key: key ?? (yield* Shop).key, body })
})

const get = Effect.fnUntraced(function* (query: string, path = "/v1/verify", key?: string) {
  const { call } = yield* RunningService
  return yield* call<RawSlip>("GET", `${path}?${query}`, { key: key ?? (yield* Shop).key })
})

const form = (fields: Readonly<Record<string, string | Buffer<ArrayBuffer>>>): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    data.append(name, typeof value === "string" ? value : new Blob([value]))
  }
  return data
}

layer.live(layerShop(env))("v1 verify", (it) => {
  it.effect("answers with the status and the slip, which equals rawSlip of v2", function* () {
    const { key } = yield* Shop
    const { verify } = yield* RunningService
    const { payload, transRef } = newSlip()
    const answer = yield* get(`payload=${payload}`)

    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.headers.get("content-type"), "application/json")
    assert.isNotNull(answer.headers.get("x-request-id"))
    assert.strictEqual(answer.text, JSON.stringify({ status: 200, data: answer.data }))
    assert.deepInclude(answer.data, { payload, transRef })
    assert.deepStrictEqual((yield* verify(key, payload)).data.rawSlip, answer.data)
  })

  it.effect("works at /api/v1 too", function* () {
    const { payload, transRef } = newSlip()
    assert.strictEqual((yield* get(`payload=${payload}`, "/api/v1/verify")).data.transRef, transRef)
    assert.strictEqual((yield* post({ payload }, "/api/v1/verify")).data.transRef, transRef)
  })

  it.effect("accepts a payload in a query, in JSON and in both kinds of form", function* () {
    const { key } = yield* Shop
    const { call } = yield* RunningService
    const { payload } = newSlip()
    const encoded = call<RawSlip>("POST", "/v1/verify", {
      key,
      body: `payload=${payload}&checkDuplicate=false`,
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" }
    })
    const requests = [get(`payload=${payload}`), post({ payload }), post(form({ payload })), encoded]
    for (const answer of yield* Effect.all(requests)) assert.strictEqual(answer.data?.payload, payload, answer.text)
  })

  it.effect("accepts a picture as a file, as base64, as a data URI and as a URL", function* () {
    const { png, transRef } = yield* Shop
    const { url } = yield* httpServer((_, response) => response.end(png))
    const base64 = png.toString("base64")
    const bodies = [
      form({ file: png }),
      form({ image: png }),
      form({ image: base64 }),
      form({ url, checkDuplicate: "false" }),
      { data: base64 },
      { image: base64 },
      { data: `data:image/png;base64,${base64}` },
      { data: url },
      { image: url },
      { url, payload: null, image: null, unknown: [1] }
    ]
    for (const body of bodies) {
      const answer = yield* post(body)
      assert.strictEqual(answer.data?.transRef, transRef, answer.text)
    }
  })

  it.effect("rejects a duplicate only with checkDuplicate, and returns its slip", function* () {
    const { payload, transRef } = newSlip()
    const first = yield* post({ payload, checkDuplicate: true })
    assert.strictEqual(first.status, 200, "the first is not a duplicate")

    const unchecked = [post({ payload }), post({ payload, checkDuplicate: false }), get(`payload=${payload}`)]
    for (const { data } of yield* Effect.all(unchecked)) assert.strictEqual(data.transRef, transRef)

    const refused = [
      post({ payload, checkDuplicate: true }),
      post({ payload, checkDuplicate: "true" }),
      post(form({ payload, checkDuplicate: "true" })),
      get(`payload=${payload}&checkDuplicate=true`)
    ]
    for (const answer of yield* Effect.all(refused)) {
      assertV1Failure(answer, 400, "duplicate_slip")
      assert.deepStrictEqual(answer.data, first.data)
    }
  })

  it.effect("shares duplicates and charges with v2 and with the other branches of the service", function* () {
    const own = yield* given({ quota: 1 })
    const sub = yield* own.createBranch(own.serviceId, { name: "Siam", quota: 1 })
    const { payload } = newSlip()
    assert.isFalse((yield* own.verify(own.key, payload)).data.isDuplicate)

    const again = yield* post({ payload, checkDuplicate: true }, "/v1/verify", own.key)
    assertV1Failure(again, 400, "duplicate_slip")
    assertV1Failure(yield* get(`payload=${newSlip().payload}`, "/v1/verify", own.key), 403, "quota_exceeded")

    const ofAnother = yield* post({ payload, checkDuplicate: true }, "/v1/verify", sub.apiKey)
    assertV1Failure(ofAnother, 400, "duplicate_slip")
    const used = yield* own.verify(sub.apiKey, newSlip().payload)
    assert.strictEqual(used.error?.code, "QUOTA_EXCEEDED", "a repeat by another branch costs that branch a unit")
    assert.isTrue((yield* own.verify(own.key, payload)).data.isDuplicate)
  })

  it.effect("records failed verifications in the trail, including invalid payloads", function* () {
    const own = yield* given()
    const refused = [
      [newSlip({ outcome: "not-found" }).payload, 404, "slip_not_found"],
      [newSlip().payload.slice(0, -1), 400, "invalid_payload"],
      ["0".repeat(5_000), 400, "invalid_payload"]
    ] as const
    for (const [payload, status, code] of refused) {
      assertV1Failure(yield* post({ payload }, "/v1/verify", own.key), status, code)
    }
    const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 10_000 })
    const failures = events.filter(({ data, type }) =>
      type === "VerificationFailed" && data["branchId"] === own.branchId
    )
    assert.deepStrictEqual(failures.map(({ data }) => data["why"]), [
      "the bank knows no such transfer",
      "the checksum of the QR text is wrong",
      "the QR text is longer than any slip's"
    ])
  })
})
