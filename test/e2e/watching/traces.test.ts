import { assert, layer } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { traceIdOf } from "../../../infrastructure/platform/telemetry/trace-ids.ts"
import { type CallbackReceiver, startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { type ArrivedSpan, type OtlpReceiver, pathOf, startOtlpReceiver } from "../../support/otlp-receiver.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { jobPaths } from "./job-paths.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const KEY = "collector-key"

/** A branch with a quota, a collector that the service sends to, and a receiver for callbacks. */
class Watched extends Context.Service<Watched, {
  readonly key: string
  readonly branchId: string
  readonly collector: OtlpReceiver
  readonly receiver: CallbackReceiver
}>()("test/Watched") {}

const layerWatched = Layer.unwrap(Effect.gen(function* () {
  const collector = yield* startOtlpReceiver
  const receiver = yield* startCallbackReceiver()
  const env = {
    ...receiver.env,
    RATE_LIMIT: "1000",
    RATE_LIMIT_BURST: "1000",
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${KEY}`,
    OTEL_SERVICE_NAME: "slips",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%20test"
  }
  return Layer.effect(
    Watched,
    Effect.gen(function* () {
      const { mainBranch: { apiKey, id } } = yield* (yield* RunningService).createService({ quota: 100 })
      return Watched.of({ key: apiKey, branchId: id, collector, receiver })
    })
  ).pipe(Layer.provideMerge(layerRunningService(env)))
}))

/** Waits until a trace has the expected paths. Returns its spans. */
const untilTraced = Effect.fnUntraced(function* (traceId: string, isComplete: (paths: ReadonlySet<string>) => boolean) {
  const { collector } = yield* Watched
  const arrived = Effect.sync(() => {
    const spans = collector.spans().filter((span) => span.traceId === traceId)
    return { spans, paths: new Set(spans.map((span) => pathOf(spans, span))) }
  })
  return yield* eventually(arrived, ({ paths }) => isComplete(paths))
})

/** The only span at a path. */
const at = (spans: ReadonlyArray<ArrivedSpan>, path: string): ArrivedSpan => {
  const [span, another] = spans.filter((span) => pathOf(spans, span) === path)
  if (span === undefined || another !== undefined) return assert.fail(`there is not exactly one span at ${path}`)
  return span
}

const enqueue = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>> = {}) {
  const { call } = yield* RunningService
  const { key, receiver } = yield* Watched
  const { payload, transRef } = newSlip()
  const body = { payload, remark: "for Somchai", callbackUrl: `${receiver.url}?token=t0k3n` }
  const answer = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, headers, body })
  assert.strictEqual(answer.status, 202, answer.text)
  const requestId = answer.headers.get("x-request-id") ?? ""
  return { jobId: answer.data.jobId, payload, transRef, requestId }
})

layer.live(layerWatched)("traces", (it) => {
  it.effect("contain all spans of a job: HTTP, commands, bank, log, projections, callback", function* () {
    const { branchId } = yield* Watched
    const { jobId, requestId } = yield* enqueue()
    const { paths, spans } = yield* untilTraced(
      traceIdOf(requestId),
      (paths) => jobPaths.every((path) => paths.has(path))
    )

    assert.isEmpty([...paths].filter((path) => path.startsWith("?")), "every parent has arrived")
    const shown: Record<string, Readonly<Record<string, unknown>>> = {}
    for (const path of jobPaths) {
      const { attributes, kind, status } = at(spans, path)
      assert.strictEqual(status, 0, path)
      shown[path.split(" > ").slice(-2).join(" > ")] = { kind, ...attributes }
    }
    assert.deepInclude(shown["POST /v2/verify/bank/async"], {
      kind: 2,
      "http.request.method": "POST",
      "http.route": "/v2/verify/bank/async",
      "http.response.status_code": 202,
      "sliptrail.request.id": requestId
    })
    assert.deepInclude(shown["Enqueue > append job"], {
      kind: 3,
      "db.system.name": "sqlite",
      "db.operation.name": "append",
      "db.collection.name": "job"
    })
    assert.deepInclude(shown["append job > process verification"], {
      kind: 5,
      "messaging.operation.type": "process",
      "messaging.destination.name": "verification",
      "sliptrail.job.id": jobId,
      "sliptrail.attempt": 1
    })
    assert.deepInclude(shown["SlipVerifier.attempt > sandbox verify"], {
      kind: 3,
      "peer.service": "sandbox",
      "sliptrail.sending_bank": "004",
      "sliptrail.answer": "Found"
    })
    assert.deepInclude(shown["process callback-delivery > POST"], {
      kind: 3,
      "http.request.method": "POST",
      "url.scheme": "https",
      "server.address": "receiver.test",
      "http.response.status_code": 200
    })
    assert.deepInclude(shown["append job > project jobs"], { kind: 5, "messaging.destination.name": "jobs" })
    const attempt = spans.find(({ name }) => name === "SlipVerifier.attempt")
    assert.deepInclude(attempt?.attributes, { "sliptrail.branch.id": branchId, "sliptrail.outcome": "verified" })
  })

  it.effect("continue the caller's trace, also in later work", function* () {
    const { receiver } = yield* Watched
    const { jobId, requestId } = yield* enqueue({ traceparent: `00-${TRACE}-${SPAN}-01`, "x-request-id": "order-77" })
    assert.match(requestId, new RegExp(`^${TRACE}-[0-9a-f]{16}$`, "u"))
    const { spans } = yield* untilTraced(TRACE, (paths) => jobPaths.every((path) => paths.has(`? > ${path}`)))
    assert.strictEqual(at(spans, "? > POST /v2/verify/bank/async").parentSpanId, SPAN)
    // Callbacks carry no trace headers.
    const { headers } = receiver.arrivals.find((arrival) => arrival.jobId === jobId)
      ?? assert.fail("no callback arrived")
    assert.isEmpty(Object.keys(headers).filter((name) => /trace|b3|baggage/u.test(name)))
  })

  it.effect.each(["not one", `00-${"0".repeat(32)}-${SPAN}-01`, `00-${TRACE}-${SPAN}`])(
    "ignore an invalid traceparent: %s",
    function* (traceparent) {
      const { call } = yield* RunningService
      const { key } = yield* Watched
      const { headers } = yield* call("GET", "/v2/info", { key, headers: { traceparent } })
      const requestId = headers.get("x-request-id") ?? ""
      assert.match(requestId, /^[0-9a-f]{8}-/u)
      const { spans } = yield* untilTraced(traceIdOf(requestId), (paths) => paths.has("GET /v2/info"))
      assert.deepStrictEqual(at(spans, "GET /v2/info").links, [])
    }
  )

  it.effect("show the error type of upstream failures, and no error for unknown slips", function* () {
    const { verify } = yield* RunningService
    const { key } = yield* Watched
    const errorsOf = Effect.fnUntraced(function* (outcome: "not-found" | "down", status: number) {
      const answer = yield* verify(key, newSlip({ outcome }).payload)
      assert.strictEqual(answer.status, status)
      const root = "POST /v2/verify/bank"
      const id = traceIdOf(answer.headers.get("x-request-id") ?? "")
      const { spans } = yield* untilTraced(id, (paths) => paths.has(root))
      return [root, `${root} > SlipVerifier.verify`, `${root} > SlipVerifier.verify > sandbox verify`].map((path) => {
        const { attributes, status } = at(spans, path)
        return [status, attributes["error.type"]]
      })
    })
    assert.deepStrictEqual(yield* errorsOf("not-found", 404), [[0, undefined], [0, undefined], [0, undefined]])
    assert.deepStrictEqual(yield* errorsOf("down", 500), [[2, "500"], [2, "bank-away"], [2, "Unavailable"]])
  })

  it.effect("contain no payload, key, remark, address or path of a URL", function* () {
    const { call, verify } = yield* RunningService
    const { collector, key } = yield* Watched
    const { payload, requestId, transRef } = yield* enqueue()
    const first = yield* verify(key, { payload, remark: "for Somchai" })
    yield* verify(key, { url: "http://127.0.0.1:9/s3cret/slip.png?sig=s1gned" })
    yield* call("GET", "/v2/verify/bank/jobs/no-such-job?sig=s1gned", { key, headers: { "user-agent": "shop/1.2" } })
    yield* call("GET", `/v1/verify?payload=${payload}`, { key })
    const last = yield* verify(key, "not a slip")
    const done = yield* untilTraced(traceIdOf(requestId), (paths) => jobPaths.every((path) => paths.has(path)))
    yield* untilTraced(
      traceIdOf(last.headers.get("x-request-id") ?? ""),
      (paths) => paths.has("POST /v2/verify/bank")
    )
    assert.isAbove(done.spans.length, jobPaths.length)

    const sender = first.data.rawSlip.sender.account.name.th ?? ""
    assert.isNotEmpty(sender)
    const exported = collector.requests.filter(({ url }) => url === "/v1/traces").map(({ body }) => body).join("\n")
    for (
      const secret of [
        key,
        payload,
        transRef,
        sender,
        "Somchai",
        "t0k3n",
        "s1gned",
        "s3cret",
        "/callbacks",
        "shop/1.2",
        "no-such-job",
        KEY
      ]
    ) assert.notInclude(exported, secret)
  })

  it.effect("are sent with the service name and the collector's key", function* () {
    const { collector } = yield* Watched
    yield* enqueue()
    yield* eventually(Effect.sync(() => collector.spans().length), (count) => count > 0)
    const [resource] = collector.resources()
    assert.deepInclude(resource, { "service.name": "slips", "deployment.environment.name": "a test" })
    const [request] = collector.requests
    assert.strictEqual(request?.headers["x-api-key"], KEY)
    assert.strictEqual(request?.headers["content-type"], "application/json")
    assert.isUndefined(request?.headers["traceparent"])
  })
})
