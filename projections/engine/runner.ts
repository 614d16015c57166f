import { Cause, Clock, Effect, Schedule } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import { fullBatch, PoisonEvent, projectAll, takeBatch, tracedBatch } from "./batch.ts"
import { catchUp, type Collected, inFront, type Turns } from "./catch-up.ts"
import { catchUpPageSize, type Feed } from "./feed.ts"
import { expiredWrites } from "./expire.ts"
import type { ProjectionMetrics } from "./metrics.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
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
  /** Builds an empty model from a copy. False when it could not. */
  readonly restore?: Effect.Effect<boolean>
  /** Builds an empty model from the whole log at once. False when it could not. */
  readonly build?: Effect.Effect<boolean>
  readonly retentionMillis: number
  /** How long a busy runner waits for more events when it has less than a batch; 20. */
  readonly lingerMillis?: number
}

export const makeRunner = Effect.fnUntraced(function* (
  { build, feed, lingerMillis = 20, metrics, projection, restore, retentionMillis, turns }: RunnerOptions
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const { name } = projection
  const model = modelName(projection)
  /** The last known checkpoint of the model; undefined before it is read. */
  let saved: Position | undefined
  /** The position of the last projected event. It is after `saved` when the last events needed no writes. */
  let at = beginning
  let savedAtMillis = -Infinity
  let eventsSinceSaved = 0
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
   * Applies a batch and resumes at the checkpoint that the model then has. That is not `upTo` when another process
   * moved the checkpoint or cleared the model, or when an earlier try committed and its answer was lost. Returns whether
   * the model has the checkpoint `upTo`.
   */
  const apply = Effect.fnUntraced(function* (
    after: Position,
    upTo: Position,
    { handled, writes }: { readonly handled: number; readonly writes: ReadonlyArray<Write> }
  ) {
    const checkpoint = yield* models.apply(model, { after, upTo, writes })
    // The model has the checkpoint of the batch: the batch took effect now, or in an earlier try.
    const tookEffect = formatPosition(checkpoint) === formatPosition(upTo)
    yield* tookEffect ? metrics.projected(handled) : metrics.refused
    yield* resumeAt(checkpoint)
    savedAtMillis = yield* Clock.currentTimeMillis
    return tookEffect
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

  const advance = Effect.fnUntraced(function* (after: Position) {
    const isBusy = (yield* Clock.currentTimeMillis) - savedAtMillis < Math.max(busyMillis, lingerMillis)
    const events = yield* takeBatch(feed, projection, at, isBusy ? lingerMillis : 0)
    // The store has announced an event but does not return it yet.
    if (events.length === 0) return yield* Effect.sleep("20 millis")
    if (events.length >= fullBatch) progress = { ...progress, state: "catching-up" }
    if (events.length >= catchUpPageSize) {
      if (!isBefore(beginning, after) && (restore !== undefined || build !== undefined)) {
        feed.leave(projection)
        const restoring = projection.isFirst === true && restore !== undefined
          ? inFront(turns, projection, restore)
          : restore
        if (restoring !== undefined && (yield* restoring)) return yield* refreshCheckpoint()
        if (build !== undefined && (yield* build)) return yield* refreshCheckpoint()
      }
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
      return Effect.logWarning("A projection was held up and tries again", error)
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
/** Without new events, the loss of a model is detected after this time. */
const refreshMillis = 250
/** A batch waits for more events when the checkpoint was saved less than this time ago. */
const busyMillis = 100

/** Between two looks for expired members … */
const expiryMillis = 60_000
/** … and between two slices of them, in which the store serves others. */
const slicePauseMillis = 50

const noWrites = { handled: 0, writes: [] }

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(Schedule.jittered)

/**
 * Returns the checkpoint of a model. Clears a model that is ahead of the log: it was built from another log, or from
 * this one before the log was restored to an earlier state. Every process that updates the model must call this.
 */
export const resetIfAhead = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  models: ReadModels["Service"],
  model: string
) {
  // The order matters: a checkpoint that is read before the head cannot be after it.
  const readBoth = Effect.all({ checkpoint: models.checkpoint(model), head: store.head })
  const first = yield* readBoth
  if (!isBefore(first.head, first.checkpoint)) return first.checkpoint
  // The replica of the log that answered may be behind, for example after a leader election.
  yield* Effect.sleep(recheckMillis)
  const { checkpoint, head } = yield* readBoth
  if (!isBefore(head, checkpoint)) return checkpoint
  yield* Effect.logError("The read model is ahead of the log and is built again").pipe(
    Effect.annotateLogs({ model, checkpoint: formatPosition(checkpoint), head: formatPosition(head) })
  )
  yield* models.clear(model, head)
  return beginning
})

const recheckMillis = 1_000
