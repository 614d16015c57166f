import { Effect, Latch, Metric, type Scope } from "effect"
import type { OtlpResource } from "effect/observability"
import type { Collector } from "./collector.ts"
import { tallyOf } from "./series.ts"
import type { OtlpSpan } from "./watched-span.ts"

export interface SpanSenderOptions {
  readonly collector: Collector
  readonly resource: OtlpResource.Resource
  readonly version: string
  /** Spans that wait at most; one more is dropped. */
  readonly mostWaiting?: number
}

/**
 * Sends spans to the collector behind everybody's back. Whoever ends a span neither waits nor fails, whatever the
 * collector does: at most so many spans wait, a thousand of them are under way at a time, and what a collector that is
 * away or slow leaves no room for is dropped and counted. What is left at the end is sent within a moment or not at all.
 */
export const makeSpanSender = Effect.fnUntraced(function*(
  { collector, mostWaiting = 8_192, resource, version }: SpanSenderOptions
): Effect.fn.Return<(span: OtlpSpan) => void, never, Scope.Scope> {
  const count = yield* tallyOf(spans, "outcome", ["sent", "dropped"])
  const full = yield* Latch.make()
  let waiting: Array<OtlpSpan> = []
  let isAway = false

  const send = Effect.suspend(() => {
    const batch = waiting.slice(0, batchSize)
    waiting = waiting.slice(batchSize)
    if (waiting.length < batchSize) full.closeUnsafe()
    if (batch.length === 0) return Effect.void
    const scopeSpans = [{ scope: { name: "sliptrail", version }, spans: batch }]
    return collector.post("/v1/traces", { resourceSpans: [{ resource, scopeSpans }] }).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.andThen(back, Effect.sync(() => count("sent", batch.length))),
        onFailure: ({ message }) => Effect.andThen(lost(message), Effect.sync(() => count("dropped", batch.length)))
      })
    )
  })

  const back = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo("The collector takes traces again")
  })

  const lost = (why: string) =>
    Effect.suspend(() => {
      if (isAway) return Effect.void
      isAway = true
      return Effect.logWarning(`The collector takes no traces, they are dropped until it does: ${why}`)
    })

  const round = Effect.suspend(() => Effect.timeoutOption(full.await, isAway ? awayMillis : roundMillis)).pipe(
    Effect.andThen(send)
  )
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(Effect.interruptible(send), lastMillis)))
  yield* Effect.forkScoped(Effect.forever(round))

  return (span) => {
    if (waiting.length >= mostWaiting) return count("dropped")
    waiting.push(span)
    if (waiting.length >= batchSize && !isAway) full.openUnsafe()
  }
})

const spans = Metric.counter("sliptrail_telemetry_spans_total", {
  description: "Spans of traces that were sent to the collector, or dropped because it was away or slow",
  incremental: true
})

const batchSize = 1_000
/** Little is lost with a process that dies, and little is left to send by one that ends. */
const roundMillis = 1_000
const awayMillis = 10_000
/** The end of a process has little time, and most of it belongs to requests and callbacks. */
const lastMillis = 200
