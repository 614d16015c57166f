import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { given, situations } from "./situations.ts"

const at = situations("/v2/verify/bank")

/** Codes of docs/spec/http.md, "v2 codes" that the fixture of error-tables.test.ts does not list. */
const inactive = [
  ["deactivated", at.serviceDeactivated],
  ["expired", at.serviceExpired],
  ["of an unverified account", at.accountUnverified]
] as const

layer.live(layerRunningService())("v2 answers", (it) => {
  for (const [title, provoke] of inactive) {
    it.effect(`403 SERVICE_INACTIVE: the service is ${title}`, function* () {
      assertFailure(yield* provoke, 403, "SERVICE_INACTIVE", "Service is not active")
    })
  }

  it.effect("have an id of the service, and echo the caller's id if it is valid, even on unknown paths", function* () {
    const { call, logs } = yield* RunningService
    for (const path of ["/v2/health", "/v2/nothing", "/v2/info", "/docs", "/health/live"]) {
      const answers = yield* Effect.forEach(
        ["Order-7.a:b_c", "Order-7.a:b_c", "", "a b", "<script>", "a".repeat(65), "%0d%0aset-cookie:a=b"],
        (id) => call("GET", path, { headers: { "x-request-id": id } })
      )
      const valuesOf = (name: string) => answers.map(({ headers }) => headers.get(name))
      for (const id of valuesOf("x-request-id")) assert.match(id ?? "", /^[0-9a-f-]{36}$/u)
      assert.strictEqual(new Set(valuesOf("x-request-id")).size, answers.length)
      const echoed = ["Order-7.a:b_c", "Order-7.a:b_c", null, null, null, null, null]
      assert.deepStrictEqual(valuesOf("x-client-request-id"), echoed, path)
      assert.deepStrictEqual(valuesOf("set-cookie"), echoed.map(() => null))
    }
    assert.deepStrictEqual(logs.filter((line) => line.includes("failed unexpectedly")), [])
  })

  it.effect("cost no quota unit when they are failures", function* () {
    const own = yield* given({ quota: 1 })
    for (const outcome of ["not-found", "pending", "down", "nonsense"] as const) {
      yield* own.verify(own.key, newSlip({ outcome }).payload)
    }
    yield* own.verify(own.key, {})
    yield* own.verify(own.key, { image: "aGVsbG8=" })

    assert.strictEqual((yield* own.verify(own.key, newSlip().payload)).status, 200)
    assertFailure(
      yield* own.verify(own.key, newSlip().payload),
      403,
      "QUOTA_EXCEEDED",
      "Your API quota has been exceeded"
    )
  })
})
