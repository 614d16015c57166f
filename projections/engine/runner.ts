import { Cause, Clock, Effect, Schedule } from "effect"
import { beginning, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { LogFollower } from "../../ports/log-follower.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { fullBatch, PoisonEvent, projectAll, takeBatch, tracedBatch } from "./batch.ts"
import { makeCursor } from "./cursor.ts"
import type { Feed } from "./feed.ts"
import { expiredWrites } from "./expire.ts"
import type { ProjectionMetrics } from "./metrics.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import type { ProjectionState } from "./status.ts"
import { leaveFront, takeTurn, type Turns } from "./turns.ts"

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
  const beside = yield* LogFollower
  const isTraced = (yield* TraceContinuation) !== undefined
  const largeBatch = Math.max(batchEvents, Math.floor((yield* models.batchWrites) / writesOfEvent))
  const { name } = projection
  const model = modelName(projection)
  const cursor = yield* makeCursor({ feed, metrics, model })
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
    if (writes.length > 0) yield* cursor.apply(cursor.checkpoint(), { handled: 0, writes })
  })

  /** The model has the known log. */
  const idle = Effect.gen(function* () {
    leaveFront(turns, projection)
    if (feed.isConnected()) enter("following")
    const at = cursor.at()
    if (isBefore(cursor.checkpoint(), at)) {
      const left = yield* cursor.saveIfDue
      if (left > 0) yield* Effect.timeoutOption(feed.awaitEventAfter(at), left)
      return
    }
    const now = yield* Clock.currentTimeMillis
    const isDue = now >= nextExpiryMillis
    if (isDue && phase === "following") return yield* expire(now)
    const pauseMillis = isDue ? refreshMillis : Math.min(refreshMillis, nextExpiryMillis - now)
    const arrival = yield* Effect.timeoutOption(feed.awaitEventAfter(at), pauseMillis)
    if (arrival._tag === "None") yield* cursor.refresh
  })

  /**
   * Projects the next events beside the service. False when they must be projected here: nothing runs there, batches are
   * traced, or the projection throws on one of them.
   */
  const advanceBeside = Effect.fnUntraced(function* (isBusy: boolean) {
    if (beside === undefined || isTraced || !beside.isReady()) return false
    const from = cursor.at()
    if (Number(feed.head().commit - from.commit) >= beside.limit) enter("building")
    else if (isBusy) yield* Effect.sleep(besideLingerMillis)
    const projected = yield* beside.project({ model, after: cursor.checkpoint(), from })
    if (projected === undefined) return false
    const { checkpoint, events, handled, upTo } = projected
    if (events === 0) yield* Effect.sleep(announcedMillis)
    else if (checkpoint === undefined) yield* cursor.pass(upTo, events, handled)
    else yield* cursor.resumeAfter(checkpoint, upTo, handled)
    return true
  })

  /** Projects the next events in this thread. */
  const advanceHere = Effect.fnUntraced(function* (isBusy: boolean) {
    const full = phase === "building" ? largeBatch : batchEvents
    const events = yield* takeBatch(feed, cursor.at(), isBusy ? lingerMillis : 0, full)
    // The store has announced an event but does not return it yet.
    if (events.length === 0) return yield* Effect.sleep(announcedMillis)
    if (events.length < full) leaveFront(turns, projection)
    else {
      enter("building")
      yield* takeTurn(turns, projection)
    }
    const projected = projectAll(projection, events)
    const { handled, poison, upTo = cursor.at(), writes } = projected
    if (poison !== undefined) {
      // The events before it are applied. The next step then starts with the poison event.
      return yield* isBefore(cursor.checkpoint(), upTo) ? cursor.apply(upTo, projected) : poison
    }
    yield* writes.length === 0
      ? cursor.pass(upTo, events.length, handled)
      : tracedBatch(projection, events, cursor.apply(upTo, projected))
  })

  /** Builds an empty model, before anything of the log is read for it: those that requests wait for must not wait for that. */
  const isBuiltAtOnce = Effect.suspend(() =>
    buildAtOnce === undefined || isBefore(beginning, cursor.at()) ? Effect.succeed(false) : buildAtOnce
  )

  const advance = Effect.gen(function* () {
    if (yield* isBuiltAtOnce) return yield* cursor.refresh
    const isBusy = yield* cursor.isBusy(Math.max(busyMillis, lingerMillis))
    if (!(yield* advanceBeside(isBusy))) yield* advanceHere(isBusy)
  })

  const step = Effect.gen(function* () {
    if (!cursor.isKnown()) yield* cursor.refresh
    yield* isBefore(cursor.at(), feed.head()) ? advance : idle
    error = undefined
    // Embedded engines work synchronously: without this, catching up would block the process.
    yield* Effect.yieldNow
  })

  const steps = step.pipe(
    Effect.tapError((failure) => {
      if (failure._tag === "PoisonEvent") return Effect.void
      leaveFront(turns, projection)
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
    cursor.forget()
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
    progress: () => ({ checkpoint: cursor.checkpoint(), state, error }),
    run: Effect.suspend(start).pipe(
      Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : stop(cause)),
      Effect.onInterrupt(() => standBy),
      Effect.ensuring(Effect.sync(() => leaveFront(turns, projection))),
      Effect.annotateLogs({ projection: name, model })
    )
  }
  return runner
})

/** The pause before another try to read an event that the store has announced and does not return yet. */
const announcedMillis = 20
/** Of the largest models. A large batch of events has about as many writes as the engine applies well together. */
const writesOfEvent = 4
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

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(Schedule.jittered)
