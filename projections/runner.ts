import { Cause, Clock, Data, Effect, Schedule } from "effect"
import { modelName } from "../application/models/model-name.ts"
import {
  beginning,
  EventStore,
  formatPosition,
  isBehind,
  type Position,
  type RecordedEvent
} from "../application/ports/event-store.ts"
import { ReadModels, type Write } from "../application/ports/read-models.ts"
import type { Feed } from "./feed.ts"
import { looksAt, type Projection } from "./projection.ts"

export interface Progress {
  /** The checkpoint of the read model, as far as this process knows. */
  readonly checkpoint: Position
  readonly state: "live" | "catching-up" | "failed"
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

export const makeRunner = Effect.fnUntraced(function*(projection: Projection, feed: Feed) {
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
  let progress: Progress = { checkpoint: beginning, state: "catching-up", error: undefined }

  const goOnFrom = (checkpoint: Position) => {
    saved = at = checkpoint
    seenSinceSaved = 0
    progress = { ...progress, checkpoint }
  }

  const load = Effect.fnUntraced(function*() {
    const checkpoint = yield* models.checkpoint(model)
    if (isBehind(yield* store.head, checkpoint)) {
      // It was made of another log, or of this one before it was restored to an earlier state.
      yield* Effect.logError("The read model is ahead of the log and is built anew")
      yield* models.clear(model)
      goOnFrom(beginning)
    } else {
      goOnFrom(checkpoint)
    }
  })

  /**
   * Goes on from what is in force: that is not `upTo` when somebody else moved the checkpoint or cleared the model, or
   * when an earlier try took effect and only its answer was lost.
   */
  const apply = Effect.fnUntraced(function*(after: Position, upTo: Position, writes: ReadonlyArray<Write>) {
    goOnFrom(yield* models.apply(model, { after, upTo, writes }))
    savedAtMillis = yield* Clock.currentTimeMillis
  })

  const rest = Effect.fnUntraced(function*(after: Position) {
    progress = { ...progress, state: "live" }
    if (!isBehind(after, at)) {
      const news = yield* Effect.timeoutOption(feed.moved(at), lookAgainMillis)
      // A model that was wiped or cleared by another process in a quiet hour is noticed here.
      if (news._tag === "None") yield* load()
      return
    }
    const sinceSaved = (yield* Clock.currentTimeMillis) - savedAtMillis
    if (sinceSaved >= coalesceMillis) yield* apply(after, at, [])
    else yield* Effect.timeoutOption(feed.moved(at), coalesceMillis - sinceSaved)
  })

  const advance = Effect.fnUntraced(function*(after: Position) {
    const isBusy = (yield* Clock.currentTimeMillis) - savedAtMillis < busyMillis
    const isShort = feed.head().commit - at.commit < BigInt(fullBatch)
    const events = yield* take(feed, at, isBusy && isShort)
    // The end of the log was heard of and can't be read yet.
    if (events.length === 0) return yield* Effect.sleep("20 millis")
    if (events.length >= fullBatch) progress = { ...progress, state: "catching-up" }
    const { poison, upTo, writes } = projectAll(projection, events)
    const last = upTo ?? at
    seenSinceSaved += events.length
    if (poison !== undefined) {
      // What stands in front of it counts; the next round begins with the event itself.
      if (isBehind(after, last)) return yield* apply(after, last, writes)
      return yield* poison
    }
    if (writes.length > 0 || seenSinceSaved >= coalesceEvents) yield* apply(after, last, writes)
    else at = last
  })

  const step = Effect.gen(function*() {
    if (saved === undefined) yield* load()
    const after = saved ?? beginning
    yield* isBehind(at, feed.head()) ? advance(after) : rest(after)
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

  const runner: Runner = {
    name,
    model,
    progress: () => progress,
    run: Effect.suspend(() => {
      saved = undefined
      progress = { checkpoint: progress.checkpoint, state: "catching-up", error: undefined }
      return steps
    }).pipe(
      Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : stop(cause)),
      Effect.annotateLogs({ projection: name, model })
    )
  }
  return runner
})

/** An event that a projection can't take. Repeating it would not help, and skipping it would be a silent hole. */
class PoisonEvent extends Data.TaggedError("PoisonEvent")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** A checkpoint that moves without writes is saved at most this often, while events come in one by one … */
const coalesceMillis = 200
/** … and after so many of them, while they come without a pause. */
const coalesceEvents = 1_000
const lookAgainMillis = 5_000
/** How long a batch waits for more events … */
const lingerMillis = 20
/** … when the last one was saved so recently. */
const busyMillis = 100
/** Enough for one transaction: more make it no faster, and only keep the process from other work for longer. */
const fullBatch = 100

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(Schedule.jittered)

/**
 * A batch is whatever has come together since the last one. Under load that is given a moment to be a full one: a
 * transaction costs much the same for one event as for a hundred.
 */
const take = Effect.fnUntraced(function*(feed: Feed, from: Position, linger: boolean) {
  if (linger) yield* Effect.sleep(lingerMillis)
  const events = Array.from(yield* feed.behind(from))
  while (events.length > 0 && events.length < fullBatch) {
    const last = events.at(-1)?.position ?? from
    const more = isBehind(last, feed.head()) ? yield* feed.behind(last) : []
    if (more.length === 0) break
    events.push(...more)
  }
  return events
})

/** Adding the same member with the same score again, as every charge does with its month, changes nothing. */
const makeIsRepeated = () => {
  const added = new Map<string, number>()
  return (write: Write): boolean => {
    if (write._tag !== "AddMember" && write._tag !== "RemoveMember") return false
    const key = `${write.set}\n${write.member}`
    const isRepeated = write._tag === "AddMember" && added.get(key) === write.score
    if (write._tag === "AddMember") added.set(key, write.score)
    else added.delete(key)
    return isRepeated
  }
}

interface Projected {
  readonly writes: ReadonlyArray<Write>
  /** The last event that was taken; undefined when the first is the poison. */
  readonly upTo: Position | undefined
  readonly poison: PoisonEvent | undefined
}

const projectAll = (projection: Projection, events: ReadonlyArray<RecordedEvent>): Projected => {
  const writes: Array<Write> = []
  const isRepeated = makeIsRepeated()
  let upTo: Position | undefined
  for (const event of events) {
    if (looksAt(projection, event.stream)) {
      try {
        for (const write of projection.when(event)) if (!isRepeated(write)) writes.push(write)
      } catch (cause) {
        const message = `${event.type} at ${formatPosition(event.position)} of ${event.stream}: ${String(cause)}`
        return { writes, upTo, poison: new PoisonEvent({ message, cause }) }
      }
    }
    upTo = event.position
  }
  return { writes, upTo, poison: undefined }
}
