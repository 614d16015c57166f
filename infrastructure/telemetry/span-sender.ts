import { Effect, Fiber, Latch, Metric, type Scope } from "effect"
import type { OtlpResource } from "effect/observability"
import type { Collector } from "./collector.ts"
import { tallyOf } from "./series.ts"
import type { OtlpSpan } from "./instrumented-span.ts"

export interface SpanSenderOptions {
  readonly collector: Pick<Collector, "post">
  readonly resource: OtlpResource.Resource
  readonly version: string
}

/**
 * Sends spans to the collector behind everybody's back. Whoever ends a span neither waits nor fails, whatever the
 * collector does: so many spans wait, so many are under way, and what a collector that is away or slow leaves no room
 * for is dropped and counted. What is left at the end is sent within a moment or not at all.
 */
export const makeSpanSender = Effect.fnUntraced(function* (
  { collector, resource, version }: SpanSenderOptions
): Effect.fn.Return<(span: OtlpSpan) => void, never, Scope.Scope> {
  const count = yield* tallyOf(spans, "outcome", ["sent", "dropped"])
  const wake = yield* Latch.make()
  let waiting: Array<OtlpSpan> = []
  let isAway = false
  let isEnding = false

  const send = Effect.suspend(() => {
    const batch = waiting.slice(0, mostAtOnce)
    waiting = waiting.slice(mostAtOnce)
    if (waiting.length < mostAtOnce && !isEnding) wake.closeUnsafe()
    if (batch.length === 0) return Effect.void
    const scopeSpans = [{ scope: { name: "sliptrail", version }, spans: batch }]
    return collector.post("/v1/traces", { resourceSpans: [{ resource, scopeSpans }] }).pipe(
      Effect.matchEffect({ onSuccess: () => sent(batch), onFailure: ({ message }) => lost(batch, message) })
    )
  })

  const sent = (batch: ReadonlyArray<OtlpSpan>) =>
    Effect.suspend(() => {
      count("sent", batch.length)
      const wasAway = isAway
      isAway = false
      return wasAway ? Effect.logInfo("The collector takes traces again") : Effect.void
    })

  const lost = (batch: ReadonlyArray<OtlpSpan>, why: string) =>
    Effect.suspend(() => {
      count("dropped", batch.length)
      const wasAway = isAway
      isAway = true
      // However many wait: it is left alone for a while.
      if (!isEnding) wake.closeUnsafe()
      return wasAway ? Effect.void : Effect.logWarning(`The collector takes no traces, so they are dropped: ${why}`)
    })

  const pause = Effect.suspend(() => Effect.timeoutOption(wake.await, isAway ? awayMillis : roundMillis))
  const sending = yield* Effect.andThen(pause, send).pipe(
    Effect.repeat({ until: () => isEnding && (waiting.length === 0 || isAway) }),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => {
    isEnding = true
    wake.openUnsafe()
    return Effect.timeoutOption(Fiber.await(sending), lastMillis)
  })

  return (span) => {
    if (waiting.length >= mostWaiting) return count("dropped")
    waiting.push(span)
    if (waiting.length >= mostAtOnce && !isAway) wake.openUnsafe()
  }
})

const spans = Metric.counter("sliptrail_telemetry_spans_total", {
  description: "Spans of traces that were sent to the collector, or dropped because it was away or slow",
  incremental: true
})

/** At a kilobyte a span some 8 MB. */
const mostWaiting = 8_192
const mostAtOnce = 1_000
/** Little is lost with a process that dies, and little is left to be sent by one that ends. */
const roundMillis = 1_000
const awayMillis = 5_000
/** A process has little time to end, and most of that is for requests and callbacks. */
const lastMillis = 200
