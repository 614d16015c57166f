import { Cause, Clock, Effect, Schedule } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import { fullBatch, PoisonEvent, projectAll, take, tracedBatch } from "./batch.ts"
import type { Feed } from "./feed.ts"
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

/** One projection on its way along the log. */
export interface Runner {
  readonly name: string
  readonly model: string
  readonly progress: () => Progress
  /** Goes on from the read model's checkpoint. Ends only when the projection itself fails. One may run at a time. */
  readonly run: Effect.Effect<void>
}

export const makeRunner = Effect.fnUntraced(function* (projection: Projection, feed: Feed, metrics: ProjectionMetrics) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const { name } = projection
  const model = modelName(projection)
  /** The checkpoint in force; undefined when it has to be asked for. */
  let saved: Position | undefined
  /** How far events were looked at: beyond `saved` when the last of them asked for no writes. */
  let at = beginning
  let savedAtMillis = -Infinity
  let seenSinceSaved = 0
  let progress: Progress = { checkpoint: beginning, state: "standby", error: undefined }

  const goOnFrom = (checkpoint: Position) => {
    const isLost = saved !== undefined && isBefore(checkpoint, saved)
    saved = at = checkpoint
    seenSinceSaved = 0
    progress = { ...progress, checkpoint }
    return isLost
      ? Effect.logWarning(`The read model was emptied, and is built again from ${formatPosition(checkpoint)}`)
      : Effect.void
  }

  /** Detects, while no events arrive, that another process cleared or replaced the model. */
  const lookAgain = Effect.fnUntraced(function* () {
    const checkpoint = yield* models.checkpoint(model)
    // Reads the end of the log only when needed: a model may rightly be ahead of the last known end.
    const isSound = saved !== undefined && !isBefore(feed.head(), checkpoint)
    yield* goOnFrom(isSound ? checkpoint : yield* resetIfAhead(store, models, model))
  })

  /**
   * Continues from the checkpoint in force. It is not `upTo` when another process moved the checkpoint or cleared the
   * model, or when an earlier try committed and its answer was lost.
   */
  const apply = Effect.fnUntraced(function* (
    after: Position,
    upTo: Position,
    { wanted, writes }: { readonly wanted: number; readonly writes: ReadonlyArray<Write> }
  ) {
    const inForce = yield* models.apply(model, { after, upTo, writes })
    // Refused by a model that stands where the batch ends is the same as having got there.
    const tookEffect = formatPosition(inForce) === formatPosition(upTo)
    yield* tookEffect ? metrics.projected(wanted) : metrics.refused
    yield* goOnFrom(inForce)
    savedAtMillis = yield* Clock.currentTimeMillis
  })

  const rest = Effect.fnUntraced(function* (after: Position) {
    if (feed.isConnected()) progress = { ...progress, state: "live" }
    if (!isBefore(after, at)) {
      const news = yield* Effect.timeoutOption(feed.awaitEventAfter(at), lookAgainMillis)
      if (news._tag === "None") yield* lookAgain()
      return
    }
    const sinceSaved = (yield* Clock.currentTimeMillis) - savedAtMillis
    if (sinceSaved >= coalesceMillis) yield* apply(after, at, nothing)
    else yield* Effect.timeoutOption(feed.awaitEventAfter(at), coalesceMillis - sinceSaved)
  })

  const advance = Effect.fnUntraced(function* (after: Position) {
    const isBusy = (yield* Clock.currentTimeMillis) - savedAtMillis < busyMillis
    const isShort = feed.head().commit - at.commit < BigInt(fullBatch)
    const events = yield* take(feed, at, isBusy && isShort)
    // The store has announced the end of the log but does not return it yet.
    if (events.length === 0) return yield* Effect.sleep("20 millis")
    if (events.length >= fullBatch) progress = { ...progress, state: "catching-up" }
    const projected = projectAll(projection, events)
    const { poison, upTo, wanted, writes } = projected
    const last = upTo ?? at
    seenSinceSaved += events.length
    if (poison !== undefined) {
      // What stands in front of it counts; the next round begins with the event itself.
      if (isBefore(after, last)) return yield* apply(after, last, projected)
      return yield* poison
    }
    if (writes.length > 0) return yield* tracedBatch(projection, events, apply(after, last, projected))
    if (seenSinceSaved >= coalesceEvents) return yield* apply(after, last, projected)
    at = last
    yield* metrics.projected(wanted)
  })

  const step = Effect.gen(function* () {
    if (saved === undefined) yield* lookAgain()
    const after = saved ?? beginning
    yield* isBefore(at, feed.head()) ? advance(after) : rest(after)
    if (progress.error !== undefined) progress = { ...progress, error: undefined }
    // Embedded engines work synchronously: without this, catching up would keep the process from all else.
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

/** A checkpoint that moves without writes is saved at most this often, while events come in one by one … */
const coalesceMillis = 200
/** … and after so many of them, while they come without a pause. */
const coalesceEvents = 1_000
/** In a quiet hour, a model that was lost is noticed after this. */
const lookAgainMillis = 1_000
/** A batch waits for more events when the last one was saved so recently. */
const busyMillis = 100

const nothing = { wanted: 0, writes: [] }

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(Schedule.jittered)

/**
 * The checkpoint of a model, which is never ahead of the log: a model that is was made of another log, or of this one
 * before it was restored to an earlier state, and is cleared. That goes for any process that keeps it.
 */
export const resetIfAhead = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  models: ReadModels["Service"],
  model: string
) {
  // In this order: a checkpoint that was read before the head can't be beyond it.
  const look = Effect.all({ checkpoint: models.checkpoint(model), head: store.head })
  const first = yield* look
  if (!isBefore(first.head, first.checkpoint)) return first.checkpoint
  // A replica of the log that is behind, as after a change of leaders, must not cost the model.
  yield* Effect.sleep(secondLookMillis)
  const { checkpoint, head } = yield* look
  if (!isBefore(head, checkpoint)) return checkpoint
  yield* Effect.logError("The read model is ahead of the log and is built anew").pipe(
    Effect.annotateLogs({ model, checkpoint: formatPosition(checkpoint), head: formatPosition(head) })
  )
  yield* models.clear(model, head)
  return beginning
})

const secondLookMillis = 1_000
