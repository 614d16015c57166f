import { Clock, Context, Effect, Exit, identity, Layer, Option, Tracer } from "effect"
import { type Headers, HttpMiddleware } from "effect/http"
import { type ContinueTraces, endSpan, TraceContinuation } from "../../../ports/tracing.ts"
import { appendSpanId, isSampled, parseTraceparent, traceIdOf } from "./trace-ids.ts"
import { ExportedSpan, externalSpan, type OtlpSpan, traceRoot } from "./span.ts"

/** An HTTP request. */
export interface TracedRequest {
  readonly method: string
  /** The path with parameter names instead of values. */
  readonly route: string
  /** Contains the trace id of the caller's `traceparent`, if there is one. */
  readonly requestId: string
  readonly headers: Headers.Headers
}

/** Runs the handler of a request in the trace of the request. */
export type TraceRequest = (
  request: TracedRequest
) => <A extends { readonly status: number }, E, R>(handler: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How requests are traced; undefined without a collector. */
export const RequestTracing = Context.Reference<TraceRequest | undefined>("sliptrail/telemetry/RequestTracing", {
  defaultValue: () => undefined
})

export interface TracingOptions {
  readonly send: (span: OtlpSpan) => void
  /** The share of traces that are exported, from 0 to 1. */
  readonly share: number
}

/** Traces of requests, including the work that requests cause later. */
export const layerTracing = ({ send, share }: TracingOptions): Layer.Layer<never> => {
  const isExported = (traceId: string) => isSampled(traceId, share)
  return Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, makeTracer(send)),
    Layer.succeed(RequestTracing, makeRequestTracing(isExported)),
    // Effect's own span of a request contains whole URLs and the addresses of callers.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(TraceContinuation, makeContinuation(isExported))
  )
}

/** Exports only spans in the trace of a request. Work without a request, such as polling, is not traced. */
const makeTracer = (send: TracingOptions["send"]) =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      return parent === undefined || !parent.sampled
        ? new Tracer.NativeSpan({ ...options, sampled: false })
        : new ExportedSpan(options, parent, send)
    }
  })

/** A request starts a trace or continues the trace of its caller. */
const makeRequestTracing =
  (isExported: (traceId: string) => boolean): TraceRequest => ({ headers, method, requestId, route }) => {
    const traceId = traceIdOf(requestId)
    if (!isExported(traceId)) return identity
    const caller = parseTraceparent(headers["traceparent"])
    const options: Tracer.SpanOptionsNoTrace = {
      kind: "server",
      parent: caller === undefined ? traceRoot(traceId) : externalSpan(traceId, caller.spanId),
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "url.scheme": "http",
        "sliptrail.request.id": requestId
      }
    }
    return (handler) =>
      Effect.useSpan(
        `${method} ${route}`,
        options,
        (span) =>
          Effect.onExit(
            Effect.provideService(handler, Tracer.ParentSpan, span),
            (exit) => Exit.isSuccess(exit) ? endSpan(span, resultOf(exit.value)) : Effect.void
          )
      )
  }

/** For a server only statuses from 500 on are errors (OpenTelemetry, "HTTP spans"). */
const resultOf = ({ status }: { readonly status: number }) => ({
  attributes: { "http.response.status_code": status },
  error: status >= 500 ? String(status) : undefined
})

const makeContinuation =
  (isExported: (traceId: string) => boolean): ContinueTraces => ({ attributes, name, origins }) => {
    const parents = new Map<string, Tracer.ExternalSpan>()
    for (const { metadata: { causationId, correlationId }, stream } of origins) {
      const traceId = traceIdOf(correlationId)
      if (parents.has(traceId) || !isExported(traceId)) continue
      parents.set(traceId, externalSpan(traceId, appendSpanId(stream, causationId)))
    }
    if (parents.size === 0) return identity
    const startSpans = Effect.forEach(
      parents.values(),
      (parent) => Effect.makeSpan(name, { kind: "consumer", parent, attributes })
    )
    return (effect) =>
      Effect.flatMap(startSpans, (spans) => {
        const [only] = spans
        const traced = only === undefined || spans.length > 1
          ? effect
          : Effect.provideService(effect, Tracer.ParentSpan, only)
        return Effect.onExit(traced, (exit) =>
          Effect.map(Clock.currentTimeNanos, (now) => {
            for (const span of spans) span.end(now, exit)
          }))
      })
  }
