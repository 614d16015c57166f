import { Effect, type Exit, Layer, Metric } from "effect"
import { DAMAGED } from "../../../application/events/stream-changed.ts"
import type { NewEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError, type WrongExpectedRevision } from "../../../ports/event-store.ts"
import { Quota } from "../../../ports/quota.ts"
import { RateLimiter, type RateLimitStatus } from "../../../ports/rate-limiter.ts"
import { ReadModels, type ReadModelsError } from "../../../ports/read-models.ts"
import { inSpan } from "../../../ports/tracing.ts"
import {
  countByLabel,
  failureOf,
  measured,
  secondsBoundaries,
  secondsRecorder
} from "../../platform/telemetry/metrics.ts"
import { ExportedSpan } from "../../platform/telemetry/span.ts"
import { appendSpanId } from "../../platform/telemetry/trace-ids.ts"

type Store = EventStore["Service"]

/** Adds metrics and spans to the event store, and logs damage. `system` is the database system in the spans. */
export const layerInstrumentedEventStore = (
  system: "sqlite" | "eventstoredb"
): Layer.Layer<EventStore, never, EventStore> =>
  Layer.effect(
    EventStore,
    Effect.gen(function* () {
      const store = yield* EventStore
      const report = yield* makeReport
      const logFullDisk = makeFullDiskLog()

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
          Effect.tap(
            measured(
              logFullDisk(Effect.tapError(store.append(stream, expected, events), logDamage)),
              report.appended
            ),
            () => setAppendSpanId(stream, events)
          )
        )
      const readStream: Store["readStream"] = (stream, options) =>
        inSpan(
          spanOf("read", stream),
          measured(Effect.tapError(store.readStream(stream, options), logDamage), report.read)
        )

      return EventStore.of({ ...store, append, readStream, writable: logFullDisk(store.writable) })
    })
  )

/** The answer to the caller does not say what is damaged, and the error says what to do. */
const logDamage = (error: EventStoreError | WrongExpectedRevision) =>
  error._tag === "EventStoreError" && error.reason === "corrupt" ? Effect.logError(DAMAGED, error) : Effect.void

/**
 * Logs that the disk is full at the first write that fails, before anything is tried again, and that there is space at the
 * first one that succeeds. The writes in between log nothing: log lines take space too.
 */
const makeFullDiskLog = () => {
  let isFull = false
  return <A, E extends { readonly _tag: string }>(write: Effect.Effect<A, E>) =>
    write.pipe(
      Effect.tapError((error) => {
        if (isFull || !(error instanceof EventStoreError) || error.reason !== "disk-full") return Effect.void
        isFull = true
        return Effect.logError(DISK_IS_FULL, error)
      }),
      Effect.tap(() => {
        if (!isFull) return Effect.void
        isFull = false
        return Effect.logInfo("The event log can be written again")
      })
    )
}

const DISK_IS_FULL =
  "The disk of the event log is full, so nothing can be stored and requests fail. Free space on the disk of "
  + "DATA_DIR; the service tests every 5 seconds and continues by itself. Never delete events.db or a key file"

/** The category of a stream: the part before the first hyphen. An id follows. */
const categoryOf = (stream: string): string => stream.slice(0, Math.max(0, stream.indexOf("-")))

/** Gives the span of a successful append the id that readers of its events can derive. */
const setAppendSpanId = (stream: string, [first]: ReadonlyArray<NewEvent>) =>
  Effect.withFiber(({ cache: { span } }) => {
    if (span instanceof ExportedSpan) span.setSpanId(appendSpanId(stream, first?.metadata.causationId ?? ""))
    return Effect.void
  })

const reasons: ReadonlyArray<EventStoreError["reason"]> = ["unavailable", "timeout", "disk-full", "corrupt"]

const makeReport = Effect.gen(function* () {
  const count = yield* countByLabel(appends, "outcome", ["appended", "lost-race", "failed"])
  const failedAppend = yield* countByLabel(failures, "reason", reasons, { operation: "append" })
  const failedRead = yield* countByLabel(failures, "reason", reasons, { operation: "read" })
  const recordAppend = yield* secondsRecorder(appendSeconds)
  const recordRead = yield* secondsRecorder(readSeconds)
  return {
    appended: (exit: Exit.Exit<unknown, Effect.Error<ReturnType<Store["append"]>>>, seconds: number) => {
      const failure = failureOf(exit)
      recordAppend(seconds)
      if (exit._tag === "Success") count("appended")
      else count(failure?._tag === "WrongExpectedRevision" ? "lost-race" : "failed")
      if (failure?._tag === "EventStoreError") failedAppend(failure.reason)
    },
    read: (exit: Exit.Exit<unknown, EventStoreError>, seconds: number) => {
      recordRead(seconds)
      const failure = failureOf(exit)
      if (failure !== undefined) failedRead(failure.reason)
    }
  }
})

const appends = Metric.counter("sliptrail_event_store_appends_total", {
  description: "Appends to the log by outcome. After a lost race the command is decided again",
  incremental: true
})
const appendSeconds = Metric.histogram("sliptrail_event_store_append_seconds", {
  description: "Time of an append until it is durable",
  boundaries: secondsBoundaries
})
const readSeconds = Metric.histogram("sliptrail_event_store_read_seconds", {
  description: "Time to read a stream",
  boundaries: secondsBoundaries
})
const failures = Metric.counter("sliptrail_event_store_failures_total", {
  description: "Failed appends and reads of the event store, by operation and reason",
  incremental: true
})

/** Adds metrics and spans to the read models. `system` is the database system in the spans. */
export const layerInstrumentedReadModels = (system: "sqlite" | "redis"): Layer.Layer<ReadModels, never, ReadModels> =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const models = yield* ReadModels
      const count = yield* countByLabel(modelFailures, "reason", ["unavailable", "timeout", "behind"])

      const read = <A>(operation: string, model: string, effect: Effect.Effect<A, ReadModelsError>) =>
        inSpan(
          {
            name: `${operation} ${model}`,
            kind: "client",
            attributes: { "db.system.name": system, "db.operation.name": operation, "db.collection.name": model }
          },
          Effect.tapError(effect, ({ reason }) => Effect.sync(() => count(reason)))
        )
      return ReadModels.of({
        ...models,
        awaitPosition: (model, position, timeoutMillis) =>
          read("awaitPosition", model, models.awaitPosition(model, position, timeoutMillis)),
        get: (model, table, key) => read("get", model, models.get(model, table, key)),
        count: (model, set, range) => read("count", model, models.count(model, set, range)),
        has: (model, members) => read("has", model, models.has(model, members)),
        members: (model, set, options) => read("members", model, models.members(model, set, options))
      })
    })
  )

const modelFailures = Metric.counter("sliptrail_read_model_failures_total", {
  description: "Failed reads of read models, by reason",
  incremental: true
})

/** Adds metrics and spans to the quotas. */
export const layerInstrumentedQuota: Layer.Layer<Quota, never, Quota> = Layer.effect(
  Quota,
  Effect.gen(function* () {
    const quota = yield* Quota
    const count = yield* countByLabel(decisions, "outcome", [
      "reserved",
      "exceeded",
      "not-ready",
      "unavailable",
      "held-too-long"
    ])
    const record = yield* secondsRecorder(decisionSeconds)
    const reserve: Quota["Service"]["reserve"] = (reservation) =>
      inSpan(
        { name: "Quota.reserve" },
        measured(quota.reserve(reservation), (exit, seconds) => {
          record(seconds)
          const failure = failureOf(exit)
          const units = reservation.reservationIds.length
          if (exit._tag === "Success") count(exit.value, units)
          else if (failure !== undefined) count(failure.reason, units)
        })
      )
    return Quota.of({
      reserve,
      confirm: (reservation) => inSpan({ name: "Quota.confirm" }, quota.confirm(reservation)),
      release: (reservation) => inSpan({ name: "Quota.release" }, quota.release(reservation)),
      usage: (sets) => inSpan({ name: "Quota.usage" }, quota.usage(sets))
    })
  })
)

const decisions = Metric.counter("sliptrail_quota_decisions_total", {
  description: "Requested quota units by outcome. Branches without a limit reserve nothing",
  incremental: true
})
const decisionSeconds = Metric.histogram("sliptrail_quota_decision_seconds", {
  description: "Time of a quota reservation",
  boundaries: secondsBoundaries
})

/** Adds metrics and spans to the rate limits. */
export const layerInstrumentedRateLimiter: Layer.Layer<RateLimiter, never, RateLimiter> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const count = yield* countByLabel(limitDecisions, "outcome", ["admitted", "refused", "unlimited"])
    const counted = (take: Effect.Effect<RateLimitStatus | undefined>) =>
      inSpan(
        { name: "RateLimiter.take" },
        Effect.map(take, (status) => {
          count(status === undefined ? "unlimited" : status.isAdmitted ? "admitted" : "refused")
          return status
        })
      )
    return RateLimiter.of({
      take: (branchId) => counted(limiter.take(branchId)),
      takeMore: (branchId, tokens, maxDebt) => counted(limiter.takeMore(branchId, tokens, maxDebt))
    })
  })
)

const limitDecisions = Metric.counter("sliptrail_rate_limit_decisions_total", {
  description: "Rate limit decisions by outcome. unlimited: no limit is set, or its store is unavailable",
  incremental: true
})
