import { Effect, Fiber, Latch, Metric, type Scope } from "effect"
import type { OtlpResource } from "effect/observability"
import type { Collector } from "./collector.ts"
import { countByLabel } from "./metrics.ts"
import type { OtlpSpan } from "./span.ts"

export interface SpanSenderOptions {
  readonly collector: Pick<Collector, "post">
  readonly resource: OtlpResource.Resource
  readonly version: string
}

/**
 * Sends spans to the collector in the background. Ending a span never waits and never fails. The queue and the batches
 * are bounded; spans that do not fit are dropped and counted. At shutdown the remaining spans are sent within a short time
 * limit.
 */
export const makeSpanSender = Effect.fnUntraced(function* (
  { collector, resource, version }: SpanSenderOptions
): Effect.fn.Return<(span: OtlpSpan) => void, never, Scope.Scope> {
  const count = yield* countByLabel(spans, "outcome", ["sent", "dropped"])
  const wake = yield* Latch.make()
  let queued: Array<OtlpSpan> = []
  let isFailing = false
  let isEnding = false

  const send = Effect.suspend(() => {
    const batch = queued.slice(0, BATCH_SIZE)
    queued = queued.slice(BATCH_SIZE)
    if (queued.length < BATCH_SIZE && !isEnding) wake.closeUnsafe()
    if (batch.length === 0) return Effect.void
    const scopeSpans = [{ scope: { name: "sliptrail", version }, spans: batch }]
    return collector.post("/v1/traces", { resourceSpans: [{ resource, scopeSpans }] }).pipe(
      Effect.matchEffect({ onSuccess: () => sent(batch), onFailure: ({ message }) => lost(batch, message) })
    )
  })

  const sent = (batch: ReadonlyArray<OtlpSpan>) =>
    Effect.suspend(() => {
      count("sent", batch.length)
      const wasFailing = isFailing
      isFailing = false
      return wasFailing ? Effect.logInfo("The collector accepts traces again") : Effect.void
    })

  const lost = (batch: ReadonlyArray<OtlpSpan>, why: string) =>
    Effect.suspend(() => {
      count("dropped", batch.length)
      const wasFailing = isFailing
      isFailing = true
      // Even with a full queue, wait before the next attempt.
      if (!isEnding) wake.closeUnsafe()
      return wasFailing
        ? Effect.void
        : Effect.logWarning(`The collector does not accept traces; they are dropped: ${why}`)
    })

  const pause = Effect.suspend(() => Effect.timeoutOption(wake.await, isFailing ? RETRY_MILLIS : INTERVAL_MILLIS))
  const sending = yield* Effect.andThen(pause, send).pipe(
    Effect.repeat({ until: () => isEnding && (queued.length === 0 || isFailing) }),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => {
    isEnding = true
    wake.openUnsafe()
    return Effect.timeoutOption(Fiber.await(sending), SHUTDOWN_MILLIS)
  })

  return (span) => {
    if (queued.length >= MAX_QUEUE) return count("dropped")
    queued.push(span)
    if (queued.length >= BATCH_SIZE && !isFailing) wake.openUnsafe()
  }
})

const spans = Metric.counter("sliptrail_telemetry_spans_total", {
  description: "Spans that were sent to the collector or dropped because it was unavailable or slow",
  incremental: true
})

/** About 8 MB at a kilobyte per span. */
const MAX_QUEUE = 8_192
const BATCH_SIZE = 1_000
/** Short, so that a crash loses little and a shutdown has little to send. */
const INTERVAL_MILLIS = 1_000
const RETRY_MILLIS = 5_000
/** Most of the time of a shutdown belongs to requests and callbacks. */
const SHUTDOWN_MILLIS = 200
