import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { job } from "../../application/jobs/job-view.ts"
import { encodeSlipPayload } from "../../domain/slip/payload.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

type Job = Effect.Success<ReturnType<typeof job>>

/** Enqueues a payload and waits until its job has ended. */
const ended = Effect.fnUntraced(function* (key: string, payload: string) {
  const { call } = yield* RunningService
  const { data } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body: { payload } })
  return yield* eventually(
    Effect.map(call<Job>("GET", `/v2/verify/bank/jobs/${data.jobId}`, { key }), (answer) => answer.data),
    ({ status }) => status !== "pending"
  )
})

const notFound = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" } as const

layer.live(layerRunningService())("a job without a verified slip", (it) => {
  it.effect.each<readonly [title: string, payload: () => string]>([
    ["a bank that does not exist", () => encodeSlipPayload("999", "mamauishigure")],
    ["a transfer that no bank knows", () => newSlip({ outcome: "not-found" }).payload],
    ["a reference of the year 9999", () => encodeSlipPayload("002", "9999123123595900000000002")],
    ["a text that is no slip", () => "not a slip"]
  ])("ends with the text of its code, and gives its unit back: %s", ([_, payload]) =>
    Effect.gen(function* () {
      const { call, createService, verify } = yield* RunningService
      const { mainBranch: { apiKey: key } } = yield* createService({ quota: 1 })

      const job = yield* ended(key, payload())
      const { jobId, nextAttemptAt } = job

      assert.deepStrictEqual(job.status === "not_found" && job.error, notFound)
      assert.isNull(nextAttemptAt)
      const { data } = yield* call<{ readonly error: unknown }>("GET", `/v2/verifications/${jobId}`, { key })
      assert.deepStrictEqual(data.error, notFound)
      assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    }))

  it.effect("is answered at once when its reference is of the year 9999", function* () {
    const { createService, verify } = yield* RunningService
    const { mainBranch: { apiKey } } = yield* createService()
    const { error, headers, status } = yield* verify(apiKey, encodeSlipPayload("002", "9999123123595900000000002"))
    assert.deepStrictEqual([status, error?.code, headers.get("retry-after")], [404, "SLIP_NOT_FOUND", null])
  })
})
