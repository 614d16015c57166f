import { Effect, type Exit, Layer, Metric } from "effect"
import type { NewEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../../ports/event-store.ts"
import { inSpan } from "../../../ports/tracing.ts"
import { failureOf, measured, secondsBoundaries } from "../measured.ts"
import { clockOf, tallyOf } from "../series.ts"
import { appendSpanId } from "../trace-ids.ts"
import { WatchedSpan } from "../instrumented-span.ts"

type Store = EventStore["Service"]

/** The log, measured and in traces. `system` says to readers of traces what keeps it. */
export const layerWatchedEventStore = (system: "sqlite" | "eventstoredb"): Layer.Layer<EventStore, never, EventStore> =>
  Layer.effect(
    EventStore,
    Effect.gen(function* () {
      const store = yield* EventStore
      const report = yield* makeReport

      const spanOf = (operation: "append" | "read", stream: string) => {
        const category = categoryOf(stream)
        return {
          name: `${operation} ${category}`,
          kind: "client" as const,
          attributes: {
            "db.system.name": system,
            "db.operation.name": operation,
            "db.collection.name": category
          }
        }
      }
      const append: Store["append"] = (stream, expected, events) =>
        inSpan(
          spanOf("append", stream),
          Effect.tap(measured(store.append(stream, expected, events), report.appended), () => nameSpan(stream, events))
        )
      const readStream: Store["readStream"] = (stream, options) =>
        inSpan(spanOf("read", stream), measured(store.readStream(stream, options), report.read))

      return EventStore.of({ ...store, append, readStream })
    })
  )

/** What stands in front of the first hyphen: an id follows. */
const categoryOf = (stream: string): string => stream.slice(0, Math.max(0, stream.indexOf("-")))

/** The span of an append that came out gets the id by which those who read its events know it. */
const nameSpan = (stream: string, [first]: ReadonlyArray<NewEvent>) =>
  Effect.withFiber(({ cache: { span } }) => {
    if (span instanceof WatchedSpan) span.known(appendSpanId(stream, first?.metadata.causationId ?? ""))
    return Effect.void
  })

const reasons: ReadonlyArray<EventStoreError["reason"]> = ["unavailable", "timeout", "event-id-reused", "corrupt"]

const makeReport = Effect.gen(function* () {
  const count = yield* tallyOf(appends, "outcome", ["appended", "lost-race", "failed"])
  const failedAppend = yield* tallyOf(failures, "reason", reasons, { operation: "append" })
  const failedRead = yield* tallyOf(failures, "reason", reasons, { operation: "read" })
  const appendTook = yield* clockOf(appendSeconds)
  const readTook = yield* clockOf(readSeconds)
  return {
    appended: (exit: Exit.Exit<unknown, Effect.Error<ReturnType<Store["append"]>>>, seconds: number) => {
      const failure = failureOf(exit)
      appendTook(seconds)
      if (exit._tag === "Success") count("appended")
      else count(failure?._tag === "WrongExpectedRevision" ? "lost-race" : "failed")
      if (failure?._tag === "EventStoreError") failedAppend(failure.reason)
    },
    read: (exit: Exit.Exit<unknown, EventStoreError>, seconds: number) => {
      readTook(seconds)
      const failure = failureOf(exit)
      if (failure !== undefined) failedRead(failure.reason)
    }
  }
})

const appends = Metric.counter("sliptrail_event_store_appends_total", {
  description: "Appends to the log, by outcome; after a lost race the command decides again",
  incremental: true
})
const appendSeconds = Metric.histogram("sliptrail_event_store_append_seconds", {
  description: "Time from an append to its durable end",
  boundaries: secondsBoundaries
})
const readSeconds = Metric.histogram("sliptrail_event_store_read_seconds", {
  description: "Time to read a stream",
  boundaries: secondsBoundaries
})
const failures = Metric.counter("sliptrail_event_store_failures_total", {
  description: "Appends and reads that the event store did not do, by operation and reason",
  incremental: true
})
