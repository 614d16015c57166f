import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { layerRunningService } from "../support/service.ts"
import { faults, pairs, provoke } from "./faults.ts"

layer.live(layerRunningService())("the order of faults", (it) => {
  for (const [first, second] of pairs) {
    it.effect(`${first.v2} is reported before ${second.v2}`, function* () {
      const answer = yield* provoke("/v2/verify/bank", [first, second])
      assert.strictEqual(answer.error?.code, first.v2, answer.text)
    })
  }

  for (const endpoint of ["/v2/verify/bank/async", "/v2/verify/bank/batch"]) {
    it.effect(`the first fault is reported by ${endpoint} too`, () =>
      Effect.forEach(faults.slice(1), (first, index) =>
        Effect.gen(function* () {
          const second = faults[index + 2]
          if (second === undefined || ("key" in first && "key" in second)) return
          const answer = yield* provoke(endpoint, [first, second])
          assert.strictEqual(answer.error?.code, first.v2, answer.text)
        }), { discard: true }))
  }
})
