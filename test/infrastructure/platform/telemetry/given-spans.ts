import { Context, Effect, Exit, Option, type Tracer } from "effect"
import { layerTracing } from "../../../../infrastructure/platform/telemetry/tracing.ts"
import { ExportedSpan, type OtlpSpan, traceRoot } from "../../../../infrastructure/platform/telemetry/span.ts"

export const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

/** A started span, and the spans that were sent. */
export const startedSpan = (name = "work") => {
  const sent: Array<OtlpSpan> = []
  const parent = traceRoot(TRACE)
  const options: Parameters<Tracer.Tracer["span"]>[0] = {
    name,
    parent: Option.some(parent),
    annotations: Context.empty(),
    links: [],
    startTime: 1n,
    kind: "internal",
    root: false,
    sampled: true
  }
  return { sent, span: new ExportedSpan(options, parent, (span) => sent.push(span)) }
}

/** A span that has ended. */
export const endedSpan = (name?: string): OtlpSpan => {
  const { sent, span } = startedSpan(name)
  span.end(2n, Exit.void)
  const [ended] = sent
  if (ended === undefined) throw new Error("a span is sent when it ends")
  return ended
}

/** The attributes of a span as plain values. */
export const attributesOf = ({ attributes }: OtlpSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Runs an effect while a share of traces is sampled. Returns its exit and the sent spans, in the order of their ends. */
export const watching = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, share = 1) {
  const spans: Array<OtlpSpan> = []
  const send = (span: OtlpSpan) => {
    spans.push(span)
  }
  const exit = yield* Effect.exit(Effect.provide(effect, layerTracing({ send, share })))
  return { exit, spans }
})
