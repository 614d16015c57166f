import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { layerRunningService } from "../support/service.ts"
import { assertV1Failure } from "./assert-answer.ts"
import { pairs, provoke } from "./faults.ts"
import { given, operate } from "./situations.ts"
import { v1Failures } from "../../infrastructure/http/api/failures.ts"

/** Two that v1 tells in one word can't be told apart. */
const apart = pairs.filter(([first, second]) => first.v1 !== second.v1)

layer(layerRunningService(), { excludeTestServices: true })("of two faults, in v1,", (it) => {
  for (const [first, second] of apart) {
    it.effect(`${first.v2} is told before ${second.v2}`, () =>
      Effect.gen(function* () {
        assertV1Failure(yield* provoke("/v1/verify", [first, second]), v1Failures[first.v1].status, first.v1)
      }))
  }

  it.effect("what is wrong with the request is told before its quota, the payload's text included", () =>
    Effect.gen(function* () {
      const own = yield* given()
      yield* operate.takeQuota(own)
      const { payload } = newSlip()
      const told = [
        ["", "invalid_request"],
        [`payload=${payload}&checkDuplicate=maybe`, "invalid_check_duplicate"],
        [`payload=${payload.slice(0, -4)}`, "invalid_payload"],
        [`payload=${payload}`, "quota_exceeded"]
      ] as const
      for (const [query, code] of told) {
        assertV1Failure(yield* own.call("GET", `/v1/verify?${query}`, { key: own.key }), v1Failures[code].status, code)
      }
    }))
})
