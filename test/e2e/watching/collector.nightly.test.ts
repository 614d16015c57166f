import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { traceIdOf } from "../../../infrastructure/platform/telemetry/trace-ids.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startOtlpReceiver } from "../../support/otlp-receiver.ts"
import { freePort } from "../../support/redis-server.ts"
import { type SpawnedService, spawnService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** Starts a service that sends telemetry to this endpoint, and creates a branch. */
const startService = Effect.fnUntraced(function* (endpoint: string, env: Readonly<Record<string, string>> = {}) {
  const service = yield* spawnService(yield* temporaryFolder, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })
  const { mainBranch: { apiKey } } = yield* service.createService()
  return { key: apiKey, service }
})

/** Verifies slips. Returns the id of the last request. */
const verifyAll = Effect.fnUntraced(function* ({ verify }: SpawnedService, key: string, count: number) {
  let requestId = ""
  for (let n = 0; n < count; n++) {
    const answer = yield* verify(key, newSlip().payload)
    assert.strictEqual(answer.status, 200, answer.text)
    requestId = answer.headers.get("x-request-id") ?? ""
  }
  return requestId
})

const stopInTime = Effect.fnUntraced(function* ({ output, stop }: SpawnedService) {
  const startedAt = performance.now()
  assert.strictEqual(yield* stop("SIGTERM"), 0, output().stderr)
  assert.isBelow(performance.now() - startedAt, 5_000)
})

const dropped = (service: SpawnedService) =>
  Effect.map(
    service.call("GET", "/metrics"),
    ({ text }) => Number(/^sliptrail_telemetry_spans_total\{outcome="dropped"\} (\d+)$/mu.exec(text)?.[1])
  )

describe("a collector", () => {
  it.live("receives the traces and metrics of a process until its end", function* () {
    const collector = yield* startOtlpReceiver
    const { key, service } = yield* startService(collector.url)
    const traceId = traceIdOf(yield* verifyAll(service, key, 1))
    const { text } = yield* service.call("GET", "/metrics")
    yield* stopInTime(service)

    const names = collector.spans().filter((span) => span.traceId === traceId).map(({ name }) => name)
    assert.includeMembers(names, ["POST /v2/verify/bank", "VerifySlip", "append slip"])
    const sent = collector.metricNames()
    const missing = [...text.matchAll(/^# TYPE (\S+)/gmu)].map(([, name = ""]) => name).filter((name) =>
      !sent.has(name)
    )
    assert.deepStrictEqual(
      missing,
      ["sliptrail_pictures_in_hand"],
      "the slip reader has ended before the last export"
    )
    assert.isAbove(sent.size, 30)
  })

  it.live("that is not running affects no answer, and is logged once", function* () {
    const { key, service } = yield* startService(`http://127.0.0.1:${yield* Effect.promise(freePort)}`)
    yield* verifyAll(service, key, 20)
    yield* eventually(dropped(service), (count) => count > 0)
    yield* verifyAll(service, key, 20)
    yield* stopInTime(service)
    const collectorLines = Object.values(service.output()).join("").split("\n").filter((line) =>
      line.includes("collector")
    )
    assert.lengthOf(collectorLines, 1, collectorLines.join("\n"))
    assert.match(collectorLines[0] ?? "", /cannot be reached \(.*refused/iu)
  })

  it.live("that never answers affects no answer, and does not delay the end", function* () {
    const collector = yield* startOtlpReceiver
    collector.answers("silence")
    const { key, service } = yield* startService(collector.url)
    yield* verifyAll(service, key, 40)
    yield* eventually(Effect.sync(() => collector.requests.length), (count) => count > 0)
    yield* verifyAll(service, key, 40)
    yield* stopInTime(service)
  })

  it.live("that rejects requests affects no answer, and receives later traces", function* () {
    const collector = yield* startOtlpReceiver
    collector.answers(503)
    const { key, service } = yield* startService(collector.url)
    yield* verifyAll(service, key, 5)
    yield* eventually(dropped(service), (count) => count > 0)
    collector.answers(200)
    const traceId = traceIdOf(yield* verifyAll(service, key, 1))
    yield* eventually(Effect.sync(() => collector.spans()), (spans) => spans.some((span) => span.traceId === traceId))
    yield* stopInTime(service)
  })

  it.live("receives no traces when none are sampled", function* () {
    const collector = yield* startOtlpReceiver
    const { key, service } = yield* startService(collector.url, { OTEL_TRACES_SAMPLER: "always_off" })
    yield* verifyAll(service, key, 3)
    yield* stopInTime(service)
    assert.isEmpty(collector.spans())
    assert.include([...collector.metricNames()], "sliptrail_ready")
  })
})

describe("without a collector", () => {
  it.live("no telemetry is sent, and request ids are not trace ids", function* () {
    const { key, service } = yield* startService("")
    const requestId = yield* verifyAll(service, key, 1)
    assert.match(requestId, /^[0-9a-f]{8}-[0-9a-f-]{27}$/u)
    const { text } = yield* service.call("GET", "/metrics")
    assert.notInclude(text, "sliptrail_telemetry_spans_total")
    yield* stopInTime(service)
  })
})
