import { assert, describe, it } from "../../../support/it.ts"
import { Data, Effect, Exit } from "effect"
import { Headers } from "effect/http"
import { continueTraces, inSpan, type Origin } from "../../../../ports/tracing.ts"
import { RequestTracing } from "../../../../infrastructure/platform/telemetry/tracing.ts"
import { appendSpanId, traceIdOf } from "../../../../infrastructure/platform/telemetry/trace-ids.ts"
import type { OtlpSpan } from "../../../../infrastructure/platform/telemetry/span.ts"
import { attributesOf, TRACE, watching } from "./given-spans.ts"

class TestError extends Data.TaggedError("TestError")<{}> {}

const SPAN = "00f067aa0ba902b7"

/** Serves a request with an effect as its answer. */
const serving = (
  answer: Effect.Effect<{ readonly status: number }, TestError>,
  { headers = {}, requestId = "order-7" }: { readonly headers?: Headers.Input; readonly requestId?: string } = {}
) =>
  Effect.flatMap(RequestTracing, (serve) => {
    const served = { method: "POST", route: "/v2/verify/bank", requestId, headers: Headers.fromInput(headers) }
    return serve === undefined ? assert.fail("requests are not traced") : serve(served)(answer)
  })

const answered = Effect.succeed({ status: 200 })

const placeOf = (span: OtlpSpan | undefined) => [span?.name, span?.traceId, span?.parentSpanId]

const origin = (correlationId: string, stream = "job-1"): Origin => ({
  stream,
  metadata: { correlationId, causationId: "c-1" }
})

describe("a request", () => {
  it.effect("is a span in the trace of its id, with child spans for its work", function* () {
    const { spans } = yield* watching(serving(inSpan({ name: "inner" }, answered)))
    const [inner, outer] = spans
    assert.deepInclude(outer, {
      name: "POST /v2/verify/bank",
      kind: 2,
      traceId: traceIdOf("order-7"),
      parentSpanId: ""
    })
    assert.deepStrictEqual(outer && attributesOf(outer), {
      "http.request.method": "POST",
      "http.route": "/v2/verify/bank",
      "url.scheme": "http",
      "sliptrail.request.id": "order-7",
      "http.response.status_code": 200
    })
    assert.deepStrictEqual(placeOf(inner), ["inner", outer?.traceId, outer?.spanId])
  })

  it.effect.each([[200, 0], [404, 0], [500, 2], [503, 2]] as const)(
    "that is answered %s has status %s",
    function* ([status, code]) {
      const { spans: [span] } = yield* watching(serving(Effect.succeed({ status })))
      assert.strictEqual(span?.status.code, code)
    }
  )

  it.effect("continues the trace of its caller, which its id contains", function* () {
    const headers = { traceparent: `00-${TRACE}-${SPAN}-00`, b3: `${"c".repeat(32)}-${"d".repeat(16)}-1` }
    const requestId = `${TRACE}-${"1".repeat(16)}`
    const { spans: [span] } = yield* watching(serving(answered, { headers, requestId }))
    assert.deepInclude(span, { traceId: TRACE, parentSpanId: SPAN, links: [] })
  })

  it.effect("outside the share is not traced and returns the same result", function* () {
    const run = serving(inSpan({ name: "inner" }, Effect.fail(new TestError())))
    const { exit, spans } = yield* watching(run, 0)
    assert.deepStrictEqual(exit, Exit.fail(new TestError()))
    assert.isEmpty(spans)
  })

  it.effect("that fails returns the same failure, and its span has the error", function* () {
    const { exit, spans: [span] } = yield* watching(serving(Effect.fail(new TestError())))
    assert.deepStrictEqual(exit, Exit.fail(new TestError()))
    assert.deepStrictEqual([span?.status.code, span && attributesOf(span)["error.type"]], [2, "TestError"])
  })
})

describe("work without a request", () => {
  it.effect("is not traced", function* () {
    const work = Effect.fn("work")(function* () {
      return yield* inSpan({ name: "inner" }, Effect.succeed(1))
    })
    const { exit, spans } = yield* watching(Effect.andThen(inSpan({ name: "outer" }, Effect.void), work()))
    assert.deepStrictEqual(exit, Exit.succeed(1))
    assert.isEmpty(spans)
  })
})

describe("a span", () => {
  it.effect("has the attributes of its result", function* () {
    const failing = inSpan(
      { name: "inner", kind: "client", resultOf: () => ({ attributes: { "sliptrail.answer": "NotFound" } }) },
      Effect.fail(new TestError())
    )
    const { spans: [span] } = yield* watching(serving(failing))
    assert.deepInclude(span, { name: "inner", kind: 3, status: { code: 0 } })
    assert.deepStrictEqual(span && attributesOf(span), { "sliptrail.answer": "NotFound" })
  })

  it.effect("is marked when its work was interrupted", function* () {
    const resultOf = () => ({ error: "an error" })
    const { spans: [span] } = yield* watching(serving(inSpan({ name: "inner", resultOf }, Effect.interrupt)))
    assert.deepStrictEqual(span && attributesOf(span), { "sliptrail.interrupted": true })
  })
})

describe("later work", () => {
  const work = inSpan({ name: "inner" }, Effect.succeed("done"))

  it.effect("is a child of the append that caused it", function* () {
    const { exit, spans } = yield* watching(
      continueTraces(() => ({ name: "later", origins: [origin("order-7")] }), work)
    )
    assert.deepStrictEqual(exit, Exit.succeed("done"))
    const [inner, later] = spans
    assert.deepInclude(later, {
      name: "later",
      kind: 5,
      traceId: traceIdOf("order-7"),
      parentSpanId: appendSpanId("job-1", "c-1")
    })
    assert.deepStrictEqual(placeOf(inner), ["inner", later?.traceId, later?.spanId])
  })

  it.effect("for several requests has one span in the trace of each, without child spans", function* () {
    const origins = [origin("a", "job-1"), origin("b", "job-2"), origin("a", "job-3")]
    const { spans } = yield* watching(continueTraces(() => ({ name: "later", origins }), work))
    assert.deepStrictEqual(
      spans.map(placeOf),
      [
        ["later", traceIdOf("a"), appendSpanId("job-1", "c-1")],
        ["later", traceIdOf("b"), appendSpanId("job-2", "c-1")]
      ]
    )
  })

  it.effect("is traced only for the requests in the share", function* () {
    const origins = Array.from({ length: 100 }, (_, n) => origin(`request-${n}`))
    const { spans } = yield* watching(continueTraces(() => ({ name: "later", origins }), work), 0.5)
    assert.isAbove(spans.length, 20)
    assert.isBelow(spans.length, 80)
  })

  it.effect("returns the same result, which its spans contain", function* () {
    const run = continueTraces(() => ({ name: "later", origins: [origin("order-7")] }), Effect.fail(new TestError()))
    const { exit, spans: [span] } = yield* watching(run)
    assert.deepStrictEqual(exit, Exit.fail(new TestError()))
    assert.deepStrictEqual([span?.status.code, span && attributesOf(span)["error.type"]], [2, "TestError"])
  })

  it.effect("is marked when it was interrupted, because it is repeated", function* () {
    const origins = [origin("a", "job-1"), origin("b", "job-2")]
    const { spans } = yield* watching(continueTraces(() => ({ name: "later", origins }), Effect.interrupt))
    assert.deepStrictEqual(spans.map(attributesOf), origins.map(() => ({ "sliptrail.interrupted": true })))
  })

  it.effect("runs untraced without a collector", function* () {
    const untouched = continueTraces(() => assert.fail("the work is not described"), work)
    assert.strictEqual(yield* untouched, "done")
  })
})
