import { Cause, Clock, Effect, Schedule } from "effect"
import { beginning, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { LogFollower } from "../../ports/log-follower.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { fullBatch, PoisonEvent, projectAll, takeBatch, tracedBatch } from "./batch.ts"
import { trackModel } from "./tracked-model.ts"
import type { Feed } from "./feed.ts"
import { expiredWrites } from "./expire.ts"
import type { ProjectionMetrics } from "./metrics.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import type { ProjectionState } from "./status.ts"
import { leaveTurns, takeTurn, type Turns } from "./turns.ts"

/**
 * What a runner does with its model:
 *
 * - `building`: the model may lack older events. An empty one is restored from the copy or built from the whole log at once.
 *   Any other is brought forward in large batches, in turn with the other models. The status is `catching-up`.
 * - `following`: the model has the log, but for its last moments. A batch is what has arrived. The status is `live`.
 *
 * It builds after its start, after an error, and whenever more events have arrived than a batch has.
 */
type Phase = "building" | "following"

const stateOf: Readonly<Record<Phase, ProjectionState>> = { building: "catching-up", following: "live" }

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
  /** The events of a batch while it follows the log; `fullBatch`. */
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
  const models = yield* ReadModels
  const follower = yield* LogFollower
  const isTraced = (yield* TraceContinuation) !== undefined
  const batchWrites = yield* models.batchWrites
  /** The events of a batch while the model is built: as many as have `batchWrites` writes, by the batch before. */
  let largeBatch = Math.max(batchEvents, Math.min(Math.floor(batchWrites / writesOfEvent), mostEvents))
  const { name } = projection
  const model = modelName(projection)
  const tracked = yield* trackModel({ feed, metrics, model })
  let warnedAtMillis = -Infinity
  let state: ProjectionState = "standby"
  let error: string | undefined

  let phase: Phase = "building"
  const enter = (next: Phase) => {
    phase = next
    state = stateOf[next]
  }

  const isExpiring = projection.expiring !== undefined && retentionMillis !== Infinity
  let nextExpiryMillis = isExpiring ? -Infinity : Infinity

  /**
   * Removes a slice of what has expired. It runs only while the model has the whole log: a later event of the log could
   * otherwise change a row that has expired by now.
   */
  const expire = Effect.fnUntraced(function* (now: number) {
    // A model that was lost fails with `behind`. The next refresh of the checkpoint notices that.
    const writes = yield* Effect.orElseSucceed(
      expiredWrites(projection, { models, model }, now - retentionMillis),
      () => []
    )
    nextExpiryMillis = now + (writes.length === 0 ? expiryMillis : slicePauseMillis)
    if (writes.length > 0) yield* tracked.apply(tracked.checkpoint(), { handled: 0, writes })
  })

  /** The model has the known log. */
  const idle = Effect.gen(function* () {
    leaveTurns(turns, projection)
    if (feed.isConnected()) enter("following")
    const at = tracked.at()
    if (isBefore(tracked.checkpoint(), at)) {
      const left = yield* tracked.saveIfDue
      if (left > 0) yield* Effect.timeoutOption(feed.awaitEventAfter(at), left)
      return
    }
    const now = yield* Clock.currentTimeMillis
    const isDue = now >= nextExpiryMillis
    if (isDue && phase === "following") return yield* expire(now)
    const pauseMillis = isDue ? refreshMillis : Math.min(refreshMillis, nextExpiryMillis - now)
    const arrival = yield* Effect.timeoutOption(feed.awaitEventAfter(at), pauseMillis)
    if (arrival._tag === "None") yield* tracked.refresh
  })

  /**
   * Projects the next events in a thread. False when they must be projected here: nothing runs there, batches are
   * traced, the model is far behind, or the projection throws on one of them.
   */
  const advanceInThread = Effect.fnUntraced(function* (isBusy: boolean) {
    if (follower === undefined || isTraced || !follower.isReady()) return false
    const from = tracked.at()
    const available = Number(feed.head().commit - from.commit)
    if (available > maxFollowed) return false
    if (available >= follower.limit) enter("building")
    else if (isBusy) yield* Effect.sleep(followLingerMillis)
    const projected = yield* follower.project({ model, after: tracked.checkpoint(), from })
    if (projected === undefined) return false
    const { checkpoint, events, handled, upTo } = projected
    if (events === 0) yield* Effect.sleep(announcedMillis)
    else if (checkpoint === undefined) yield* tracked.pass(upTo, events, handled)
    else yield* tracked.resumeAfter(checkpoint, upTo, handled)
    return true
  })

  /** Projects the next events in this thread. */
  const advanceHere = Effect.fnUntraced(function* (isBusy: boolean) {
    const full = phase === "building" ? largeBatch : batchEvents
    const events = yield* takeBatch(feed, tracked.at(), isBusy ? lingerMillis : 0, full)
    // The store has announced an event but does not return it yet.
    if (events.length === 0) return yield* Effect.sleep(announcedMillis)
    if (events.length < full) leaveTurns(turns, projection)
    else {
      enter("building")
      yield* takeTurn(turns, projection)
    }
    const projected = projectAll(projection, events)
    const { handled, poison, upTo = tracked.at(), writes } = projected
    if (poison !== undefined) {
      // The events before it are applied. The next step then starts with the poison event.
      return yield* isBefore(tracked.checkpoint(), upTo) ? tracked.apply(upTo, projected) : poison
    }
    const batch = writes.length === 0
      ? tracked.pass(upTo, events.length, handled)
      : tracedBatch(projection, events, tracked.apply(upTo, projected))
    if (events.length < full || phase === "following") return yield* batch
    const fitting = Math.floor(events.length * batchWrites / Math.max(1, writes.length))
    largeBatch = Math.max(batchEvents, Math.min(fitting, mostEvents))
    // Hot path: the next page is read while the engine applies the batch. Guarded by `npm run bench -- rebuild`.
    yield* Effect.all([batch, Effect.ignore(feed.after(upTo))], { concurrency: 2 })
  })

  /** Builds an empty model, before anything of the log is read for it: those that requests wait for must not wait for that. */
  const isBuiltAtOnce = Effect.suspend(() =>
    buildAtOnce === undefined || isBefore(beginning, tracked.at()) ? Effect.succeed(false) : buildAtOnce
  )

  const advance = Effect.gen(function* () {
    if (yield* isBuiltAtOnce) return yield* tracked.refresh
    const isBusy = yield* tracked.isBusy(Math.max(busyMillis, lingerMillis))
    if (!(yield* advanceInThread(isBusy))) yield* advanceHere(isBusy)
  })

  const step = Effect.gen(function* () {
    if (!tracked.isKnown()) yield* tracked.refresh
    yield* isBefore(tracked.at(), feed.head()) ? advance : idle
    error = undefined
    // Embedded engines work synchronously: without this, catching up would block the process.
    yield* Effect.yieldNow
  })

  const steps = step.pipe(
    Effect.tapError((failure) => {
      if (failure._tag === "PoisonEvent") return Effect.void
      leaveTurns(turns, projection)
      enter("building")
      error = `${failure._tag}: ${failure.operation} ${failure.reason}`
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now - warnedAtMillis < warningMillis) return Effect.void
        warnedAtMillis = now
        return Effect.logWarning("A projection is held up, and tries until it succeeds", failure)
      })
    }),
    Effect.retry({ schedule: backoff, while: ({ _tag }) => _tag !== "PoisonEvent" }),
    Effect.forever
  )

  const stop = (cause: Cause.Cause<unknown>) => {
    const failure = Cause.squash(cause)
    state = "failed"
    error = failure instanceof PoisonEvent ? failure.message : Cause.pretty(cause)
    return Effect.logError(`A projection stopped: ${error}`)
  }

  const start = () => {
    tracked.reset()
    enter("building")
    error = undefined
    return steps
  }

  const standBy = Effect.sync(() => {
    state = "standby"
    error = undefined
  })

  const runner: Runner = {
    name,
    model,
    progress: () => ({ checkpoint: tracked.checkpoint(), state, error }),
    run: Effect.suspend(start).pipe(
      Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : stop(cause)),
      Effect.onInterrupt(() => standBy),
      Effect.ensuring(Effect.sync(() => leaveTurns(turns, projection))),
      Effect.annotateLogs({ projection: name, model })
    )
  }
  return runner
})

/** The pause before another try to read an event that the store has announced and does not return yet. */
const announcedMillis = 20
/** A model that is more events behind is built or brought forward in large batches. */
const maxFollowed = 10_000
/** Of the largest models, for the first batch. */
const writesOfEvent = 4
/** Of a large batch: a model with few writes must not run away from the pages that the others share (`makeFeed`). */
const mostEvents = 2_500
/** A larger batch changes a page of the file for more events at once. Reads are this much older. */
const followLingerMillis = 40
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

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(Schedule.jittered)
