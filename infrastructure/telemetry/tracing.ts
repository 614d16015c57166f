import { Effect, Exit, identity, Layer, Option, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { type Continue, Continuing, endSpan, errorOf } from "../../ports/tracing.ts"
import { type Serve, Serving } from "./serving.ts"
import { appendSpanId, isSampled, parseTraceparent, traceIdOf } from "./trace-ids.ts"
import { beginning, external, type OtlpSpan, WatchedSpan } from "./instrumented-span.ts"

export interface TracingOptions {
  readonly send: (span: OtlpSpan) => void
  /** Of all traces, how many are sent: from 0 to 1. */
  readonly share: number
}

/** Traces of requests: what they do at once, and what is done because of them later. */
export const layerTracing = ({ send, share }: TracingOptions): Layer.Layer<never> => {
  const isWatched = (traceId: string) => isSampled(traceId, share)
  return Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, makeTracer(send)),
    Layer.succeed(Serving, makeServing(isWatched)),
    // Effect's own span of a request holds whole URLs and the addresses of callers.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(Continuing, makeContinuing(isWatched))
  )
}

/** A span stands in the trace of a request. What a process does by itself, such as looking for work, is in none. */
const makeTracer = (send: TracingOptions["send"]) =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      return parent === undefined || !parent.sampled
        ? new Tracer.NativeSpan({ ...options, sampled: false })
        : new WatchedSpan(options, parent, send)
    }
  })

/**
 * A request begins its trace, or goes on with that of its caller. One that its caller gave an id of its own is in the
 * trace of that id, where all that comes of it later is found, and is linked to the caller's span.
 */
const makeServing = (isWatched: (traceId: string) => boolean): Serve => ({ headers, method, requestId, route }) => {
  const traceId = traceIdOf(requestId)
  if (!isWatched(traceId)) return identity
  const caller = parseTraceparent(headers["traceparent"])
  const callers = caller === undefined ? undefined : external(caller.traceId, caller.spanId)
  const isInCallers = callers?.traceId === traceId
  const options: Tracer.SpanOptionsNoTrace = {
    kind: "server",
    parent: isInCallers ? callers : beginning(traceId),
    links: callers === undefined || isInCallers ? [] : [{ span: callers, attributes: {} }],
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "url.scheme": "http",
      "sliptrail.request.id": requestId
    }
  }
  return (answer) =>
    Effect.useSpan(
      `${method} ${route}`,
      options,
      (span) =>
        Effect.onExit(
          Effect.provideService(answer, Tracer.ParentSpan, span),
          (exit) => Exit.isSuccess(exit) ? endSpan(span, toldOf(exit.value)) : Effect.void
        )
    )
}

/** Only what is the service's own fault is an error of a server (OpenTelemetry, "HTTP spans"). */
const toldOf = ({ status }: { readonly status: number }) => ({
  attributes: { "http.response.status_code": status },
  error: status >= 500 ? String(status) : undefined
})

const makeContinuing = (isWatched: (traceId: string) => boolean): Continue => ({ attributes, name, origins }) => {
  const parents = new Map<string, Tracer.ExternalSpan>()
  for (const { metadata: { causationId, correlationId }, stream } of origins) {
    const traceId = traceIdOf(correlationId)
    if (parents.has(traceId) || !isWatched(traceId)) continue
    parents.set(traceId, external(traceId, appendSpanId(stream, causationId)))
  }
  if (parents.size === 0) return identity
  const begin = Effect.forEach(
    parents.values(),
    (parent) => Effect.makeSpan(name, { kind: "consumer", parent, attributes })
  )
  return (effect) =>
    Effect.flatMap(begin, (spans) => {
      const [only] = spans
      const beneath = only === undefined || spans.length > 1
        ? effect
        : Effect.provideService(effect, Tracer.ParentSpan, only)
      return Effect.onExit(beneath, (exit) =>
        Effect.forEach(spans, (span) => endSpan(span, { error: errorOf(exit) }), { discard: true }))
    })
}
