import { assert, layer } from "../support/it.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertEnvelope } from "./assert-answer.ts"

layer.live(layerRunningService())("monitoring endpoints", (it) => {
  it.effect.each(["/health/live", "/health/ready"])("%s answers ok", function* (path) {
    const { call } = yield* RunningService
    const answer = yield* call("GET", path)
    assertEnvelope(answer)
    assert.deepStrictEqual([answer.status, answer.data], [200, { status: "ok" }])
  })

  it.effect("/metrics counts requests by route and status, without values from callers", function* () {
    const { call, createService, verify } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    yield* verify(mainBranch.apiKey, newSlip().payload)
    yield* verify(mainBranch.apiKey, {})
    yield* call("GET", `/admin/v1/services/${id}`, { key: "unknown" })
    yield* call("GET", "/v2/guess-7f3a")

    const { headers, status, text } = yield* call("GET", "/metrics")

    assert.strictEqual(status, 200)
    assert.match(headers.get("content-type") ?? "", /^text\/plain/u)
    const isCounted = (labels: ReadonlyArray<string>) =>
      text.split("\n").some((line) =>
        line.startsWith("sliptrail_http_requests") && labels.every((label) => line.includes(label))
      )
    assert.isTrue(isCounted([`route="POST /v2/verify/bank"`, `status="200"`]), text)
    assert.isTrue(isCounted([`route="POST /v2/verify/bank"`, `status="400"`]), text)
    assert.isTrue(isCounted([`route="GET /admin/v1/services/:id"`, `status="401"`]), text)
    for (const secret of [id, mainBranch.apiKey, "7f3a"]) assert.notInclude(text, secret)
  })
})
