import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { streamOf } from "../../domain/events/aggregates.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const env = { ROLES: "http,projector", EGRESS_HOSTS: "shop.example=93.184.215.14,inside.example=10.0.0.7" }

const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { mainBranch: { apiKey: key, id } } = yield* service.createService()
  const call = <Data>(method: string, path: string, body?: unknown) =>
    service.call<Data>(method, `/v2/webhook${path}`, { key, body })
  return { ...service, key, branchId: id, webhook: call }
})

interface Secret {
  readonly secret: string
  readonly effectiveAt: string
  readonly previousExpiresAt: string
}

layer.live(layerRunningService(env))("the webhook of a branch", (it) => {
  it.effect("has no URL at first; a new URL applies immediately, and to the next job", function* () {
    const { call, key, webhook } = yield* given
    assert.deepStrictEqual((yield* webhook("GET", "")).data, { url: null })
    const url = "https://shop.example/told?x=1"
    const put = yield* webhook("PUT", "", { url })
    assert.deepStrictEqual([put.status, put.data], [200, { url }])
    assert.deepStrictEqual((yield* webhook("GET", "")).data, { url })

    const job = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: newSlip().payload }
    })
    const seen = yield* call<{ readonly callback: { readonly url: string } }>(
      "GET",
      `/v2/verify/bank/jobs/${job.data.jobId}`,
      { key }
    )
    assert.strictEqual(seen.data.callback.url, url)

    assert.deepStrictEqual((yield* webhook("PUT", "", { url: null })).data, { url: null })
    assert.deepStrictEqual((yield* webhook("GET", "")).data, { url: null })
  })

  it.effect("accepts a public https URL or null", function* () {
    const { webhook } = yield* given
    for (const body of [{}, { url: 7 }, { url: "" }, { url: `https://a.example/${"x".repeat(2048)}` }]) {
      assertInvalid(yield* webhook("PUT", "", body), "url")
    }
    for (const url of ["http://shop.example/", "https://inside.example/", "https://a:b@shop.example/", "x"]) {
      assertFailure(
        yield* webhook("PUT", "", { url }),
        400,
        "INVALID_CALLBACK_URL",
        "callbackUrl is not a public https URL"
      )
    }
    assert.deepStrictEqual((yield* webhook("GET", "")).data, { url: null })
  })

  it.effect("rotates its secret, with an overlap of a day by default", function* () {
    const { branchId, webhook } = yield* given
    const rotate = (body?: unknown) => webhook<Secret>("POST", "/secret/rotate", body)
    const overlap = ({ effectiveAt, previousExpiresAt }: Secret) =>
      (Date.parse(previousExpiresAt) - Date.parse(effectiveAt)) / 1_000

    const { data, status } = yield* rotate()
    assert.strictEqual(status, 200)
    assert.hasAllKeys(data, ["secret", "effectiveAt", "previousExpiresAt"])
    assert.match(data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
    assert.strictEqual(overlap(data), 86_400)
    for (const overlapSeconds of [0, 604_800]) {
      assert.strictEqual(overlap((yield* rotate({ overlapSeconds })).data), overlapSeconds)
    }
    for (const overlapSeconds of [-1, 604_801, 1.5, "60"]) {
      assertInvalid(yield* rotate({ overlapSeconds }), "overlapSeconds")
    }
    const events = yield* (yield* EventStore).readStream(streamOf.branch(branchId))
    const rotations = events.filter(({ type }) => type === "WebhookSecretRotated")
    assert.lengthOf(rotations, 4)
    assert.deepStrictEqual(rotations.at(-1)?.metadata.actor, { kind: "branch", id: branchId })
    assert.notInclude(JSON.stringify(rotations.map(({ data }) => data)), data.secret)
  })

  it.effect("lists no deliveries before any was sent, and rejects invalid filters", function* () {
    const { webhook } = yield* given
    const none = { items: [], nextCursor: null }
    const id = "0F8FAD5B-D9CB-4F69-A165-70867728950E"
    for (const query of ["", "?status=failed", `?jobId=${id}&status=delivered&limit=500`, "?from=2026-11-21"]) {
      assert.deepStrictEqual((yield* webhook("GET", `/deliveries${query}`)).data, none)
    }
    for (
      const [field, value] of [["status", "lost"], ["jobId", "7"], ["limit", "0"], ["cursor", "17.x"], [
        "to",
        "x"
      ]] as const
    ) {
      assertInvalid(yield* webhook("GET", `/deliveries?${field}=${value}`), field)
    }
  })

  it.effect("is not accessible without a key", function* () {
    const { call } = yield* RunningService
    const endpoints = [
      ["GET", ""],
      ["PUT", ""],
      ["POST", "/secret/rotate"],
      ["GET", "/deliveries"]
    ] as const
    for (const [method, path] of endpoints) {
      const answer = yield* call(method, `/v2/webhook${path}`, method === "GET" ? {} : { body: {} })
      assertFailure(answer, 401, "MISSING_API_KEY", "Authorization header is required")
    }
  })
})
