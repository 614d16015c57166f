import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { repeatsOf } from "../support/slip-repeats.ts"
import { trail } from "../e2e/ask-trail.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const ALLOWANCE = 5

/** Repeats of one slip. */
const REPEATS = 2_000
// No tree head is signed meanwhile: the log grows by it.
const limits = {
  REPEATS_PER_DAY: String(ALLOWANCE),
  FAILURES_PER_DAY: String(ALLOWANCE),
  CHECKPOINT_INTERVAL: "1 hour"
}

interface JobData {
  readonly jobId: string
  readonly status: string
}

const logSize = EventStore.use((log) =>
  Effect.map(log.readAll({ after: beginning, limit: 100_000 }), ({ length }) => length)
)

layer.live(layerRunningService(limits))("a key that fills the log for free", (it) => {
  it.effect("is stopped at its daily allowance, and another branch is served", function* () {
    const { call, createService, verify } = yield* RunningService
    const attacker = (yield* createService()).mainBranch.apiKey
    const second = (yield* createService()).mainBranch.apiKey
    const known = newSlip().payload
    const withNewKey = (payload: string) =>
      call("POST", "/v2/verify/bank", {
        key: attacker,
        headers: { "idempotency-key": randomUUID() },
        body: { payload }
      })
    const attacks = [
      () => verify(attacker, known),
      () => verify(attacker, "no slip"),
      () => verify(attacker, newSlip().payload),
      () => withNewKey("no slip")
    ]

    yield* verify(attacker, known)
    for (let round = 0; round < 2 * ALLOWANCE; round++) {
      for (const attack of attacks) yield* attack()
    }
    const before = yield* logSize
    for (const attack of attacks) {
      const { error, headers, status, text } = yield* attack()
      assert.deepStrictEqual([status, error?.code], [429, "RATE_LIMIT_EXCEEDED"], text)
      assert.isAtLeast(Number(headers.get("retry-after")), 1)
    }
    assert.strictEqual(yield* logSize, before)

    for (let round = 0; round < 2; round++) assert.strictEqual((yield* verify(second, known)).status, 200)
    assert.strictEqual((yield* verify(second, "no slip")).error?.code, "SLIP_NOT_FOUND")
  })

  it.effect("is refused further jobs, and another branch is served", function* () {
    const { call, createService } = yield* RunningService
    const attacker = (yield* createService()).mainBranch.apiKey
    const second = (yield* createService()).mainBranch.apiKey
    const enqueue = (key: string) =>
      call<JobData>("POST", "/v2/verify/bank/async", { key, body: { payload: "no slip" } })
    const statusOf = (jobId: string) =>
      Effect.map(call<JobData>("GET", `/v2/verify/bank/jobs/${jobId}`, { key: attacker }), ({ data }) => data.status)

    let refused = yield* enqueue(attacker)
    for (let jobs = 1; refused.status === 202 && jobs <= 2 * ALLOWANCE; jobs++) {
      const { jobId } = refused.data
      yield* eventually(statusOf(jobId), (status) => status === "not_found")
      refused = yield* enqueue(attacker)
    }
    assert.deepStrictEqual([refused.status, refused.error?.code], [429, "RATE_LIMIT_EXCEEDED"], refused.text)
    assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
    const before = yield* logSize
    yield* call("POST", "/v2/verify/bank/batch", { key: attacker, body: { slips: [{ payload: "no slip" }] } })
    assert.strictEqual(yield* logSize, before)
    assert.strictEqual((yield* enqueue(second)).status, 202)
  })

  it.effect("has a slip with thousands of repeats, and another branch and the operator are served meanwhile", function* () {
    const { call, createService, verify } = yield* RunningService
    const attacker = (yield* createService()).mainBranch.apiKey
    const second = (yield* createService()).mainBranch.apiKey
    const { payload, sendingBank, transRef } = newSlip()
    const withKey = call("POST", "/v2/verify/bank", {
      key: attacker,
      headers: { "idempotency-key": "first" },
      body: { payload }
    })
    const first = yield* withKey
    const log = yield* EventStore
    const events = yield* log.readAll({ after: beginning, limit: 100_000 })
    const verified = events.findLast(({ type }) => type === "SlipVerified")
    if (verified === undefined) return assert.fail("the slip is not in the log")
    yield* log.append(verified.stream, 0, repeatsOf(verified, REPEATS))

    const trailOf = (cursor: string) => trail(`slip=${sendingBank}:${transRef}&limit=500${cursor}`)
    yield* eventually(trailOf(""), ({ data }) => data.events.length === 500)
    const [again, replay, page, other] = yield* Effect.all(
      [verify(attacker, payload), withKey, trailOf(""), verify(second, newSlip().payload)],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual([again, replay, page, other].map(({ status }) => status), [200, 200, 200, 200])
    assert.strictEqual(replay.text, first.text)
    const next = yield* trailOf(`&cursor=${encodeURIComponent(page.data.nextCursor ?? "")}`)
    assert.deepStrictEqual([next.data.events.length, next.data.events[0]?.stream], [500, verified.stream])
  })
})
