import { Clock, Effect } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import type { Feed } from "./feed.ts"
import type { ProjectionMetrics } from "./metrics.ts"
import { resetIfAhead } from "./reset-if-ahead.ts"

/** The writes of some events, and how many of the events the projection handles. */
interface Handled {
  readonly handled: number
  readonly writes: ReadonlyArray<Write>
}

/**
 * The model of a projection, and how far it is in the log: its checkpoint, and the last projected event. The event is after
 * the checkpoint when the last events needed no writes.
 */
export const trackModel = Effect.fnUntraced(function* (
  { feed, metrics, model }: { readonly feed: Feed; readonly metrics: ProjectionMetrics; readonly model: string }
) {
  const store = yield* EventStore
  const models = yield* ReadModels
  /** The last known checkpoint. Another process may have moved it since, or cleared the model. */
  let saved = beginning
  let isKnown = false
  let at = beginning
  let savedAtMillis = -Infinity
  let eventsSinceSaved = 0

  const resumeAt = (checkpoint: Position) => {
    const isLost = isKnown && isBefore(checkpoint, saved)
    saved = at = checkpoint
    isKnown = true
    eventsSinceSaved = 0
    return isLost
      ? Effect.logWarning(`The read model was cleared or lost, and is built again from ${formatPosition(checkpoint)}`)
      : Effect.void
  }

  /**
   * Resumes at the checkpoint that the model has after a batch. That is not `upTo` when another process moved the checkpoint
   * or cleared the model.
   */
  const resumeAfter = Effect.fnUntraced(function* (checkpoint: Position, upTo: Position, handled: number) {
    // The model has the checkpoint of the batch: the batch took effect now, or in an earlier try.
    const tookEffect = formatPosition(checkpoint) === formatPosition(upTo)
    yield* tookEffect ? metrics.projected(handled) : metrics.refused
    yield* resumeAt(checkpoint)
    savedAtMillis = yield* Clock.currentTimeMillis
  })

  /** Applies a batch, and resumes after it. */
  const apply = Effect.fnUntraced(function* (upTo: Position, { handled, writes }: Handled) {
    yield* resumeAfter(yield* models.apply(model, { after: saved, upTo, writes }), upTo, handled)
  })

  return {
    checkpoint: () => saved,
    at: () => at,
    isKnown: () => isKnown,
    /** The checkpoint is read again before the next event: meanwhile another process may have held the lease. */
    reset: () => {
      isKnown = false
    },
    /** Reads the checkpoint at the start, and while no events arrive: the model may have been cleared or replaced. */
    refresh: Effect.gen(function* () {
      const checkpoint = yield* models.checkpoint(model)
      // The last known end of the log may be outdated, so a model after it is checked again with the current end.
      const isWithinKnownLog = isKnown && !isBefore(feed.head(), checkpoint)
      yield* resumeAt(isWithinKnownLog ? checkpoint : yield* resetIfAhead(store, models, model))
    }),
    apply,
    resumeAfter,
    /** Passes events that need no writes. The checkpoint follows after many of them. */
    pass: Effect.fnUntraced(function* (upTo: Position, events: number, handled: number) {
      eventsSinceSaved += events
      if (eventsSinceSaved >= coalesceEvents) return yield* apply(upTo, { handled, writes: [] })
      at = upTo
      yield* metrics.projected(handled)
    }),
    /** Moves the checkpoint to the last projected event, when the last move was some time ago. Returns how long to wait. */
    saveIfDue: Effect.gen(function* () {
      const left = coalesceMillis - ((yield* Clock.currentTimeMillis) - savedAtMillis)
      if (left <= 0) yield* apply(at, { handled: 0, writes: [] })
      return left
    }),
    /** Whether the checkpoint was moved less than this time ago. */
    isBusy: (millis: number) => Effect.map(Clock.currentTimeMillis, (now) => now - savedAtMillis < millis)
  }
})

/** Without writes, the checkpoint is saved at most this often while events arrive one by one … */
const coalesceMillis = 200
/** … and after this many events while they arrive without a pause. */
const coalesceEvents = 1_000
