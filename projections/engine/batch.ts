import { Clock, Data, Effect } from "effect"
import { formatPosition, isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { makeChanges, writesOf } from "./changes.ts"
import type { Feed } from "./feed.ts"
import { handlesStream, type Projection } from "./projection.ts"

/** Events in one transaction near the end of the log. A larger batch blocks the process for longer. */
export const fullBatch = 100

/**
 * An event on which a projection throws. A retry would throw again; skipping the event would leave a gap in the model.
 */
export class PoisonEvent extends Data.TaggedError("PoisonEvent")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** The result of projecting a run of events. */
export interface Projected {
  readonly writes: ReadonlyArray<Write>
  /** The number of events that the projection handles. */
  readonly handled: number
  /** Position of the last projected event; undefined when the first event is the poison event. */
  readonly upTo: Position | undefined
  readonly poison: PoisonEvent | undefined
}

/**
 * The next events after a position, until a batch of `full` events is full or the log ends. Hot path: fewer events than a
 * batch wait `lingerMillis` for more, because a transaction costs about the same for one event as for a hundred.
 * Guarded by `npm run bench -- http`.
 */
export const takeBatch = Effect.fnUntraced(
  function* (feed: Feed, from: Position, lingerMillis: number, full: number = fullBatch) {
    const events = Array.from(yield* feed.after(from))
    const takeMore = Effect.gen(function* () {
      while (events.length < full) {
        const last = events.at(-1)?.position ?? from
        const more = isBefore(last, feed.head()) ? yield* feed.after(last) : []
        if (more.length === 0) return
        events.push(...more)
        // Embedded engines work synchronously: without this, a large batch would block the process.
        yield* Effect.yieldNow
      }
    })
    if (events.length > 0) yield* takeMore
    if (lingerMillis === 0 || events.length >= full) return events
    yield* Effect.sleep(lingerMillis)
    yield* takeMore
    return events
  }
)

/** The writes of all events before the first poison event, each row and each member once. */
export const projectAll = (projection: Projection, events: ReadonlyArray<RecordedEvent>): Projected => {
  const changes = makeChanges()
  let handled = 0
  let upTo: Position | undefined
  for (const event of events) {
    if (handlesStream(projection, event.stream)) {
      try {
        projection.when(event).forEach(changes.add)
      } catch (cause) {
        const message = `${event.type} at ${formatPosition(event.position)} of ${event.stream}: ${String(cause)}`
        return { writes: writesOf(changes), handled, upTo, poison: new PoisonEvent({ message, cause }) }
      }
      handled++
    }
    upTo = event.position
  }
  return { writes: writesOf(changes), handled, upTo, poison: undefined }
}

/**
 * Applies a batch in the traces of the requests that caused its events. Old events join no trace: they are read for a
 * rebuild, and no request waits for a rebuild.
 */
export const tracedBatch = <A, E, R>(
  projection: Projection,
  events: ReadonlyArray<RecordedEvent>,
  apply: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    TraceContinuation,
    (continueIn) =>
      continueIn === undefined ? apply : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const origins = events.filter(({ recordedAt, stream }) =>
          now - recordedAt < maxTracedMillis && handlesStream(projection, stream)
        )
        return continueIn({
          name: `project ${projection.name}`,
          origins,
          attributes: {
            "messaging.system": "sliptrail",
            "messaging.operation.name": "project",
            "messaging.operation.type": "process",
            "messaging.destination.name": projection.name,
            "messaging.batch.message_count": origins.length
          }
        })(apply)
      })
  )

const maxTracedMillis = 600_000
