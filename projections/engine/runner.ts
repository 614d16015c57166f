import { Cause, Clock, Effect, Schedule } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { LogFollower } from "../../ports/log-follower.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { fullBatch, PoisonEvent, projectAll, takeBatch, tracedBatch } from "./batch.ts"
import { catchUp, type Collected, type Turns } from "./catch-up.ts"
import { catchUpPageSize, type Feed } from "./feed.ts"
import { expiredWrites } from "./expire.ts"
import type { ProjectionMetrics } from "./metrics.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import { resetIfAhead } from "./reset-if-ahead.ts"
import type { ProjectionState } from "./status.ts"

export interface Progress {
  /** The checkpoint of the read model, as far as this process knows. */
  readonly checkpoint: Position
  readonly state: ProjectionState
  readonly error: string | undefined
}

/** Applies one projection to the log. */
export interface Runner {
  readonly name: string
  readonly model: string
  readonly progress: () => Progress
  /**
   * Resumes at the read model's checkpoint. Ends only when the projection itself fails. It must not run twice at a
   * time.
   */
  readonly run: Effect.Effect<void>
}

export interface RunnerOptions {
  readonly projection: Projection
  readonly feed: Feed
  readonly turns: Turns
  readonly metrics: ProjectionMetrics
  /** Builds an empty model at once: from a copy, or from the whole log. False when it must be built batch by batch. */
  readonly buildAtOnce?: Effect.Effect<boolean>
  readonly retentionMillis: number
  /** How long a busy runner waits for more events when it has less than a batch; 20. */
  readonly lingerMillis?: number
  /** The events of a batch for which it waits; `fullBatch`. */
  readonly batchEvents?: number
}

export const makeRunner = Effect.fnUntraced(function* (
  {
    batchEvents = fullBatch,
    buildAtOnce,
    feed,
    lingerMillis = 20,
    metrics,
    projection,
    retentionMillis,
    turns
  }: RunnerOptions
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const beside = yield* LogFollower
  const isTraced = (yield* TraceContinuation) !== undefined
  const { name } = projection
  const model = modelName(projection)
  /** The last known checkpoint of the model; undefined before it is read. */
  let saved: Position | undefined
  /** The position of the last projected event. It is after `saved` when the last events needed no writes. */
  let at = beginning
  let savedAtMillis = -Infinity
  let eventsSinceSaved = 0
  let warnedAtMillis = -Infinity
  let progress: Progress = { checkpoint: beginning, state: "standby", error: undefined }

  const resumeAt = (checkpoint: Position) => {
    const isLost = saved !== undefined && isBefore(checkpoint, saved)
    saved = at = checkpoint
    eventsSinceSaved = 0
    progress = { ...progress, checkpoint }
    return isLost
      ? Effect.logWarning(`The read model was cleared or lost, and is built again from ${formatPosition(checkpoint)}`)
      : Effect.void
  }

  /** Reads the checkpoint at the start, and while no events arrive: the model may have been cleared or replaced. */
  const refreshCheckpoint = Effect.fnUntraced(function* () {
    const checkpoint = yield* models.checkpoint(model)
    // The last known end of the log may be outdated, so a model after it is checked again with the current end.
    const isWithinKnownLog = saved !== undefined && !isBefore(feed.head(), checkpoint)
    yield* resumeAt(isWithinKnownLog ? checkpoint : yield* resetIfAhead(store, models, model))
  })

  /**
   * Resumes at the checkpoint that the model has after a batch. That is not `upTo` when another process moved the checkpoint
   * or cleared the model. Returns whether it is `upTo`.
   */
  const resumeAfter = Effect.fnUntraced(function* (checkpoint: Position, upTo: Position, handled: number) {
    // The model has the checkpoint of the batch: the batch took effect now, or in an earlier try.
    const tookEffect = formatPosition(checkpoint) === formatPosition(upTo)
    yield* tookEffect ? metrics.projected(handled) : metrics.refused
    yield* resumeAt(checkpoint)
    savedAtMillis = yield* Clock.currentTimeMillis
    return tookEffect
  })

  /** Applies a batch, and resumes after it. */
  const apply = Effect.fnUntraced(function* (
    after: Position,
    upTo: Position,
    { handled, writes }: { readonly handled: number; readonly writes: ReadonlyArray<Write> }
  ) {
    return yield* resumeAfter(yield* models.apply(model, { after, upTo, writes }), upTo, handled)
  })

  const isExpiring = projection.expiring !== undefined && retentionMillis !== Infinity
  let nextExpiryMillis = isExpiring ? -Infinity : Infinity

  /**
   * Removes a slice of what has expired. It runs only while the model has the whole log: a later event of the log could
   * otherwise change a row that has expired by now.
   */
  const expire = Effect.fnUntraced(function* (after: Position, now: number) {
    // A model that was lost fails with `behind`. The next refresh of the checkpoint notices that.
    const writes = yield* Effect.orElseSucceed(
      expiredWrites(projection, { models, model }, now - retentionMillis),
      () => []
    )
    nextExpiryMillis = now + (writes.length === 0 ? expiryMillis : slicePauseMillis)
    if (writes.length > 0) yield* apply(after, after, { handled: 0, writes })
  })

  const idle = Effect.fnUntraced(function* (after: Position) {
    if (feed.isConnected()) progress = { ...progress, state: "live" }
    if (!isBefore(after, at)) {
      const now = yield* Clock.currentTimeMillis
      const isDue = now >= nextExpiryMillis
      if (isDue && progress.state === "live") return yield* expire(after, now)
      const pauseMillis = isDue ? refreshMillis : Math.min(refreshMillis, nextExpiryMillis - now)
      const arrival = yield* Effect.timeoutOption(feed.awaitEventAfter(at), pauseMillis)
      if (arrival._tag === "None") yield* refreshCheckpoint()
      return
    }
    const sinceSaved = (yield* Clock.currentTimeMillis) - savedAtMillis
    if (sinceSaved >= coalesceMillis) return yield* Effect.asVoid(apply(after, at, noWrites))
    yield* Effect.timeoutOption(feed.awaitEventAfter(at), coalesceMillis - sinceSaved)
  })

  /**
   * Projects the next events beside the service. False when they must be projected here: nothing runs there, batches are
   * traced, the model is far behind, or its projection throws.
   */
  const advanceBeside = Effect.fnUntraced(function* (after: Position, isBusy: boolean) {
    if (beside === undefined || isTraced || !beside.isReady()) return false
    const available = Number(feed.head().commit - at.commit)
    if (available > mostBeside) return false
    if (available >= beside.limit) progress = { ...progress, state: "catching-up" }
    else if (isBusy) yield* Effect.sleep(besideLingerMillis)
    const projected = yield* beside.project({ model, after, from: at })
    if (projected === undefined) return false
    const { checkpoint, events, handled, upTo } = projected
    if (events === 0) {
      yield* Effect.sleep(announcedMillis)
    } else if (checkpoint !== undefined) {
      yield* resumeAfter(checkpoint, upTo, handled)
    } else {
      at = upTo
      eventsSinceSaved += events
      yield* metrics.projected(handled)
      if (eventsSinceSaved >= coalesceEvents) yield* apply(after, at, noWrites)
    }
    return true
  })

  /** Builds an empty model, before anything of the log is read for it: those that requests wait for must not wait for that. */
  const isBuiltAtOnce = Effect.fnUntraced(function* (after: Position) {
    if (buildAtOnce === undefined || isBefore(beginning, after) || isBefore(beginning, at)) return false
    return yield* buildAtOnce
  })

  const advance = Effect.fnUntraced(function* (after: Position) {
    if (yield* isBuiltAtOnce(after)) return yield* refreshCheckpoint()
    const isBusy = (yield* Clock.currentTimeMillis) - savedAtMillis < Math.max(busyMillis, lingerMillis)
    if (yield* advanceBeside(after, isBusy)) return
    const events = yield* takeBatch(feed, projection, at, isBusy ? lingerMillis : 0, batchEvents)
    // The store has announced an event but does not return it yet.
    if (events.length === 0) return yield* Effect.sleep(announcedMillis)
    if (events.length >= batchEvents) progress = { ...progress, state: "catching-up" }
    if (events.length >= Math.max(batchEvents, catchUpPageSize)) {
      const applyBatch = (after: Position, batch: Collected) => apply(after, batch.upTo, batch)
      const batchWrites = yield* models.batchWrites
      return yield* catchUp({ projection, pages: feed, turns, batchWrites, apply: applyBatch }, after, at, events)
    }
    const projected = projectAll(projection, events)
    const { poison, upTo, handled, writes } = projected
    const last = upTo ?? at
    eventsSinceSaved += events.length
    if (poison !== undefined) {
      // The events before it are applied. The next step then starts with the poison event.
      if (isBefore(after, last)) return yield* Effect.asVoid(apply(after, last, projected))
      return yield* poison
    }
    if (writes.length > 0) {
      return yield* Effect.asVoid(tracedBatch(projection, events, apply(after, last, projected)))
    }
    if (eventsSinceSaved >= coalesceEvents) return yield* Effect.asVoid(apply(after, last, projected))
    at = last
    yield* metrics.projected(handled)
  })

  const step = Effect.gen(function* () {
    if (saved === undefined) yield* refreshCheckpoint()
    const after = saved ?? beginning
    yield* isBefore(at, feed.head()) ? advance(after) : idle(after)
    if (progress.error !== undefined) progress = { ...progress, error: undefined }
    // Embedded engines work synchronously: without this, catching up would block the process.
    yield* Effect.yieldNow
  })

  const steps = step.pipe(
    Effect.tapError((error) => {
      if (error._tag === "PoisonEvent") return Effect.void
      progress = { ...progress, state: "catching-up", error: `${error._tag}: ${error.operation} ${error.reason}` }
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now - warnedAtMillis < warningMillis) return Effect.void
        warnedAtMillis = now
        return Effect.logWarning("A projection is held up, and tries until it succeeds", error)
      })
    }),
    Effect.retry({ schedule: backoff, while: (error) => error._tag !== "PoisonEvent" }),
    Effect.forever
  )

  const stop = (cause: Cause.Cause<unknown>) => {
    const failure = Cause.squash(cause)
    const error = failure instanceof PoisonEvent ? failure.message : Cause.pretty(cause)
    progress = { ...progress, state: "failed", error }
    return Effect.logError(`A projection stopped: ${error}`)
  }

  const start = () => {
    saved = undefined
    progress = { ...progress, state: "catching-up", error: undefined }
    return steps
  }

  const standBy = Effect.sync(() => {
    progress = { ...progress, state: "standby", error: undefined }
  })

  const runner: Runner = {
    name,
    model,
    progress: () => progress,
    run: Effect.suspend(start).pipe(
      Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : stop(cause)),
      Effect.onInterrupt(() => standBy),
      Effect.annotateLogs({ projection: name, model })
    )
  }
  return runner
})

/** Without writes, the checkpoint is saved at most this often while events arrive one by one … */
const coalesceMillis = 200
/** … and after this many events while they arrive without a pause. */
const coalesceEvents = 1_000
/** The pause before another try to read an event that the store has announced and does not return yet. */
const announcedMillis = 20
/** A model that is more events behind is built or brought forward in large batches. */
const mostBeside = 10_000
/** A larger batch changes a page of the file for more events at once. Reads are this much older. */
const besideLingerMillis = 40
/** Steps that read can succeed between steps that fail, for example while Redis is full. */
const warningMillis = 60_000
/** Without new events, the loss of a model is detected after this time. */
export const refreshMillis = 250
/** A batch waits for more events when the checkpoint was saved less than this time ago. */
const busyMillis = 100

/** Between two looks for expired members … */
const expiryMillis = 60_000
/** … and between two slices of them, in which the store serves others. */
const slicePauseMillis = 50

const noWrites = { handled: 0, writes: [] }

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(Schedule.jittered)
