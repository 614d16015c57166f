import { Cause, Clock, Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { type Continued, Continuing, endSpan, type Origin } from "../../application/tracing.ts"
import { type Served, Serving } from "./serving.ts"
import { appendSpanId, isSampled, parseTraceparent, traceIdOf } from "./trace-ids.ts"
import { beginning, external, type OtlpSpan, WatchedSpan } from "./watched-span.ts"

export interface TracingOptions {
  readonly send: (span: OtlpSpan) => void
  /** Of all traces, how many are sent: from 0 to 1. */
  readonly share: number
}

/** Traces of requests: what they do at once, and what others do because of them later. */
export const layerTracing = ({ send, share }: TracingOptions): Layer.Layer<never> => {
  const isWatched = (traceId: string) => isSampled(traceId, share)
  return Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, makeTracer(send)),
    Layer.succeed(Serving, makeServing(isWatched)),
    Layer.succeed(Continuing, makeContinuing(isWatched))
  )
}

/** Spans stand in the trace of a request. What a process does by itself, such as looking for work, is in none. */
const makeTracer = (send: TracingOptions["send"]) =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      return parent === undefined ? new Unwatched(options) : new WatchedSpan(options, parent, send)
    }
  })

/** Whatever is beneath it is not watched either. */
class Unwatched extends Tracer.NativeSpan {
  override readonly sampled = false
}

/**
 * A request begins its trace, or goes on with that of its caller. One that was given an id of its own by its caller is in
 * the trace of that id, and is linked to the caller's span.
 */
const makeServing = (isWatched: (traceId: string) => boolean) => ({ headers, method, requestId, route }: Served) => {
  const traceId = traceIdOf(requestId)
  if (!isWatched(traceId)) return undefined
  const caller = parseTraceparent(headers["traceparent"])
  const isCallers = caller?.traceId === traceId
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "url.scheme": "http",
    "sliptrail.request.id": requestId
  }
  const options: Tracer.SpanOptionsNoTrace = {
    kind: "server",
    attributes,
    parent: isCallers ? external(traceId, caller.spanId) : beginning(traceId),
    links: caller === undefined || isCallers ? [] : [{ span: external(caller.traceId, caller.spanId), attributes: {} }]
  }
  return <E, R>(respond: Effect.Effect<{ readonly status: number }, E, R>) => 
    Effect.useSpan(`${method} ${route}`, options, (span) => respond)
}
