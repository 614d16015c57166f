import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

const shop = Effect.gen(function* () {
  const { createService, verify } = yield* RunningService
  const { mainBranch } = yield* createService({ quota: 5 })
  return (payload: string) => verify(mainBranch.apiKey, payload)
})

const notFound = [404, "SLIP_NOT_FOUND", "Slip not found or invalid"] as const
const down = [500, "API_SERVER_ERROR", "External API error"] as const

layer.live(layerRunningService())("the sandbox bank behind the service", (it) => {
  it.effect("answers not found for some slips, without Retry-After", function* () {
    const answer = yield* (yield* shop)(newSlip({ outcome: "not-found" }).payload)
    assertFailure(answer, ...notFound)
    assert.isNull(answer.headers.get("retry-after"))
  })

  it.effect("answers pending for a minute with Retry-After, and then finds the slip", function* () {
    const verify = yield* shop
    const answer = yield* verify(newSlip({ outcome: "pending" }).payload)
    assertFailure(answer, 404, "SLIP_PENDING", "A slip of a specific bank is pending")
    const seconds = Number(answer.headers.get("retry-after"))
    assert.isTrue(seconds >= 1 && seconds <= 60, `${seconds}`)
    const older = newSlip({ outcome: "pending", at: Date.now() - 61_000 })
    assert.strictEqual((yield* verify(older.payload)).status, 200)
  })

  it.effect("is permanently down for some slips", function* () {
    const verify = yield* shop
    const { payload } = newSlip({ outcome: "down" })
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = yield* verify(payload)
      assertFailure(answer, ...down)
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
    }
  })

  it.effect("answers slowly for some slips; concurrent requests share the answer", function* () {
    const verify = yield* shop
    const { payload } = newSlip({ outcome: "slow" })
    const answers = yield* Effect.all(
      [verify(payload), verify(payload), verify(payload)],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
    assert.lengthOf(answers.filter(({ data }) => !data.isDuplicate), 1)
  })

  it.effect("answers 503 when its response is invalid, and stores no personal data of that response", function* () {
    const answer = yield* (yield* shop)(newSlip({ outcome: "nonsense" }).payload)
    assertFailure(answer, ...down)
    const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 10_000 })
    const failures = events.map(({ data }) => JSON.stringify(data)).filter((text) => text.includes("invalid response"))
    assert.lengthOf(failures, 1)
    assert.notMatch(failures[0] ?? "", /[\u0e00-\u0e7f]|MR\.|MISS|MRS\.|x-x|SBX/u)
  })

  it.effect("answers not found for foreign references and unknown banks", function* () {
    const verify = yield* shop
    assertFailure(yield* verify("0041000600000101030040220013071152533APM077365102TH91048134"), ...notFound)
    assertFailure(yield* verify(newSlip({ bank: "999" }).payload), ...notFound)
    assertFailure(yield* verify(newSlip().payload.slice(0, -1)), ...notFound)
    assertFailure(yield* verify("00020101021129370016A000000677010111"), ...notFound)
  })
})
