import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertV1Failure } from "./assert-answer.ts"
import { given } from "./situations.ts"

interface Me {
  readonly application: string
  readonly usedQuota: number
  readonly maxQuota: number | null
  readonly remainingQuota: number | null
  readonly expiredAt: string | null
}

const me = Effect.fnUntraced(function* (key: string, path = "/v1/me") {
  const { call } = yield* RunningService
  return yield* call<Me>("GET", path, { key })
})

/** Repeats the request until the charges are counted. The count follows shortly after the answer. */
const untilUsed = (key: string, used: number) => eventually(me(key), ({ data }) => data.usedQuota === used)

layer.live(layerRunningService())("v1 me", (it) => {
  it.effect("returns the quota of the key's branch, even when it is used up, and costs no unit", function* () {
    const own = yield* given({ name: "Shop", quota: 1, expiresAt: "2099-01-01" })
    const sub = yield* own.createBranch(own.serviceId, { name: "Siam", quota: 10 })
    yield* own.verify(own.key, newSlip().payload)

    const { status, text } = yield* untilUsed(own.key, 1)

    assert.strictEqual(status, 200)
    const data = {
      application: "Shop",
      usedQuota: 1,
      maxQuota: 1,
      remainingQuota: 0,
      expiredAt: "2099-01-01T00:00:00.000Z"
    }
    assert.strictEqual(text, JSON.stringify({ status: 200, data }))
    const ofSub = (yield* me(sub.apiKey, "/api/v1/me")).data
    assert.deepStrictEqual(ofSub, { ...data, usedQuota: 0, maxQuota: 10, remainingQuota: 10 })
  })

  it.effect("returns null for an unlimited quota and a service that does not expire", function* () {
    const { key } = yield* given({ name: "Open" })
    assert.deepStrictEqual((yield* me(key)).data, {
      application: "Open",
      usedQuota: 0,
      maxQuota: null,
      remainingQuota: null,
      expiredAt: null
    })
  })

  it.effect("rejects requests without a valid key", function* () {
    const { call } = yield* RunningService
    assertV1Failure(yield* call("GET", "/v1/me"), 401, "unauthorized")
    assertV1Failure(yield* me("no-key"), 401, "unauthorized")
  })
})

layer.live(layerRunningService({ RATE_LIMIT: "1", RATE_LIMIT_BURST: "2" }))("v1 under a rate limit", (it) => {
  it.effect("reports the remaining requests and Retry-After", function* () {
    const { key } = yield* given()
    const left = [yield* me(key), yield* me(key)].map(({ headers }) => headers.get("x-ratelimit-remaining"))
    assert.deepStrictEqual(left, ["1", "0"])

    const refused = yield* me(key)
    assertV1Failure(refused, 429, "rate_limit_exceeded")
    assert.strictEqual(refused.headers.get("x-ratelimit-limit"), "2")
    assert.strictEqual(refused.headers.get("x-ratelimit-remaining"), "0")
    assert.match(refused.headers.get("x-ratelimit-reset") ?? "", /^\d+$/u)
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
  })
})
