import { assert, layer } from "@effect/vitest"
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

layer(layerRunningService(), { excludeTestServices: true })("v2 answers", (it) => {
  for (const [title, provoke] of inactive) {
    it.effect(`403 SERVICE_INACTIVE: the service is ${title}`, () =>
      Effect.gen(function* () {
        assertFailure(yield* provoke, 403, "SERVICE_INACTIVE", "Service is not active")
      }))
  }

  it.effect("return the caller's request id if it is valid, even on unknown paths", () =>
    Effect.gen(function* () {
      const { call, logs } = yield* RunningService
      for (const path of ["/v2/health", "/v2/nothing", "/v2/info"]) {
        const answer = yield* call("GET", path, { headers: { "x-request-id": "Order-7.a:b_c" } })
        assert.strictEqual(answer.headers.get("x-request-id"), "Order-7.a:b_c")
        for (const id of ["", "a b", "<script>", "a".repeat(65), "%0d%0aset-cookie:a=b"]) {
          const { headers } = yield* call("GET", path, { headers: { "x-request-id": id } })
          assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/u)
          assert.isNull(headers.get("set-cookie"))
        }
      }
      assert.deepStrictEqual(logs.filter((line) => line.includes("failed unexpectedly")), [])
    }))

  it.effect("cost no quota unit when they are failures", () =>
    Effect.gen(function* () {
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
    }))
})
