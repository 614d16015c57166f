import { newSlip } from "../support/client.ts"
import { layerRunningService } from "../support/service.ts"
import { assertV1Failure } from "./assert-answer.ts"
import { pairs, provoke } from "./faults.ts"
import { given, operate } from "./situations.ts"
import { v1Failures } from "../../infrastructure/web/api/failures.ts"
import { layer } from "../support/it.ts"

/** Pairs of faults with different codes in v1. */
const distinguishable = pairs.filter(([first, second]) => first.v1 !== second.v1)

layer.live(layerRunningService())("the order of faults in v1", (it) => {
  for (const [first, second] of distinguishable) {
    it.effect(`${first.v2} is reported before ${second.v2}`, function* () {
      assertV1Failure(yield* provoke("/v1/verify", [first, second]), v1Failures[first.v1].status, first.v1)
    })
  }

  it.effect("invalid requests, including invalid payloads, are reported before the quota", function* () {
    const own = yield* given()
    yield* operate.exhaustQuota(own)
    const { payload } = newSlip()
    const expectedCodes = [
      ["", "invalid_request"],
      [`payload=${payload}&checkDuplicate=maybe`, "invalid_check_duplicate"],
      [`payload=${payload.slice(0, -4)}`, "invalid_payload"],
      [`payload=${payload}`, "quota_exceeded"]
    ] as const
    for (const [query, code] of expectedCodes) {
      assertV1Failure(yield* own.call("GET", `/v1/verify?${query}`, { key: own.key }), v1Failures[code].status, code)
    }
  })
})
