import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertModelsEqual } from "../../support/shared-log.ts"

interface Accepted {
  readonly batchId: string
  readonly jobs: ReadonlyArray<{ readonly jobId: string }>
}

interface Batch {
  readonly size: number
  readonly counts: { readonly pending: number; readonly success: number; readonly not_found: number }
}

const SLIPS = 60

describe("jobs of several workers on shared stores", () => {
  it.live("are readable in every process immediately, and end exactly once although a worker is killed", function* () {
    const engines = yield* startSharedEngines
    const receiver = yield* startCallbackReceiver()
    const [http, first, second] = yield* Effect.all([
      engines.service({ ...receiver.env, ROLES: "http,projector" }),
      engines.service({ ...receiver.env, ROLES: "worker" }),
      engines.service({ ...receiver.env, ROLES: "http,worker" })
    ])
    const { mainBranch: { apiKey: key } } = yield* http.createService({ quota: 2 * SLIPS })
    const slips = Array.from({ length: SLIPS }, (_, index) => ({
      payload: newSlip({ outcome: index % 3 === 0 ? "not-found" : "found" }).payload
    }))
    const { data: { batchId, jobs }, status, text } = yield* http.call<Accepted>("POST", "/v2/verify/bank/batch", {
      key,
      body: { slips, callbackUrl: receiver.url }
    })
    assert.strictEqual(status, 202, text)
    const getBatch = second.call<Batch>("GET", `/v2/verify/bank/batches/${batchId}`, { key })
    assert.strictEqual((yield* getBatch).data.size, SLIPS, "read in another process immediately")

    yield* eventually(Effect.sync(() => receiver.arrivals.length), (arrived) => arrived > 3)
    yield* first.stop("SIGKILL")
    const ended = yield* eventually(getBatch, ({ data }) => data.counts.pending === 0)
    assert.deepStrictEqual(ended.data.counts, { pending: 0, success: SLIPS * 2 / 3, not_found: SLIPS / 3 })
    yield* eventually(
      Effect.sync(() => new Set(receiver.arrivals.map(({ jobId }) => jobId))),
      (received) => jobs.every(({ jobId }) => received.has(jobId))
    )
    const bodies = new Map(receiver.arrivals.map(({ body, jobId }) => [jobId, body]))
    for (const { body, jobId } of receiver.arrivals) assert.strictEqual(body, bodies.get(jobId))
    // Callbacks in flight in the killed worker may arrive twice.
    assert.isAtMost(receiver.arrivals.length, SLIPS + 8)

    const { data } = yield* eventually(
      http.call<{ readonly branch: { readonly quota: { readonly used: number } } }>("GET", "/v2/info", { key }),
      ({ data }) => data.branch.quota.used === SLIPS * 2 / 3
    )
    assert.strictEqual(data.branch.quota.used, SLIPS * 2 / 3, "units of slips that were not found are released")
    yield* assertModelsEqual(engines)
  })
})
