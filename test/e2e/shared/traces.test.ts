import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { traceIdOf } from "../../../infrastructure/platform/telemetry/trace-ids.ts"
import { startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { type ArrivedSpan, pathOf, startOtlpReceiver } from "../../support/otlp-receiver.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { jobPaths } from "../watching/job-paths.ts"

/** A try that failed, or was interrupted because the process lost its lease, says so and is repeated. */
const hasEnded = ({ attributes, status }: ArrivedSpan): boolean =>
  status !== FAILED && attributes["sliptrail.interrupted"] !== true

/** The status of a span. */
const FAILED = 2

describe("the trace of a job that several processes work on", () => {
  it.live("is one trace, although the log contains no trace data", function* () {
    const engines = yield* startSharedEngines
    const receiver = yield* startCallbackReceiver()
    // Each process has its own collector, to check which process sends which span.
    const collectors = yield* Effect.all([startOtlpReceiver, startOtlpReceiver, startOtlpReceiver])
    const start = (roles: string, index: number) =>
      engines.service({ ...receiver.env, ROLES: roles, OTEL_EXPORTER_OTLP_ENDPOINT: collectors[index]?.url ?? "" })
    const [http] = yield* Effect.all([start("http", 0), start("worker", 1), start("projector", 2)], {
      concurrency: 3
    })
    const { mainBranch: { apiKey: key } } = yield* http.createService({ quota: 10 })

    // Until the projector has counted the charges in the log, no unit of a quota is admitted.
    const { headers, status } = yield* eventually(
      http.call("POST", "/v2/verify/bank/async", {
        key,
        body: { payload: newSlip().payload, callbackUrl: receiver.url }
      }),
      ({ status }) => status !== 500
    )
    assert.strictEqual(status, 202)
    const traceId = traceIdOf(headers.get("x-request-id") ?? "")
    const isOfTrace = (span: ArrivedSpan) => span.traceId === traceId && hasEnded(span)
    const tracePaths = Effect.sync(() => {
      const byProcess = collectors.map(({ spans }) => spans().filter(isOfTrace))
      const all = byProcess.flat()
      return byProcess.map((spans) => spans.map((span) => pathOf(all, span)))
    })
    const pathsByProcess = yield* eventually(
      tracePaths,
      (paths) => jobPaths.every((path) => paths.flat().includes(path))
    )

    const [ofHttp = [], ofWorker = [], ofProjector = []] = pathsByProcess.map((paths) =>
      paths.filter((path) => jobPaths.includes(path))
    )
    const isLate = (path: string) => path.includes(" > process ")
    const isProjected = (path: string) => path.includes(" > project ")
    assert.sameMembers(ofHttp, jobPaths.filter((path) => !isLate(path) && !isProjected(path)))
    assert.sameMembers(ofWorker, jobPaths.filter((path) => isLate(path) && !isProjected(path)))
    assert.sameMembers(ofProjector, jobPaths.filter(isProjected))
    assert.isEmpty(pathsByProcess.flat().filter((path) => path.startsWith("?")), "every parent span has arrived")
  })
})
