import { Clock, Data, Effect } from "effect"
import { formatPosition, isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import type { Feed } from "./feed.ts"
import { handlesStream, type Projection } from "./projection.ts"

/** Enough for one transaction: more make it no faster, and only keep the process from other work for longer. */
export const fullBatch = 100

/** An event that a projection can't take. Repeating it would not help, and skipping it would be a silent hole. */
export class PoisonEvent extends Data.TaggedError("PoisonEvent")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** What a projection makes of a run of events. */
export interface Projected {
  readonly writes: ReadonlyArray<Write>
  /** How many of the events the projection looks at. */
  readonly wanted: number
  /** The last event that was taken; undefined when the first is the poison. */
  readonly upTo: Position | undefined
  readonly poison: PoisonEvent | undefined
}

/**
 * The next events behind a position: whatever has come together since the last batch. Under load (`linger`) that is
 * given a moment to be a full one, as a transaction costs much the same for one event as for a hundred.
 */
export const take = Effect.fnUntraced(function* (feed: Feed, from: Position, linger: boolean) {
  if (linger) yield* Effect.sleep(lingerMillis)
  const events = Array.from(yield* feed.after(from))
  while (events.length > 0 && events.length < fullBatch) {
    const last = events.at(-1)?.position ?? from
    const more = isBefore(last, feed.head()) ? yield* feed.after(last) : []
    if (more.length === 0) break
    events.push(...more)
  }
  return events
})

/** The writes of all events up to the first that the projection can't take. */
export const projectAll = (projection: Projection, events: ReadonlyArray<RecordedEvent>): Projected => {
  const writes: Array<Write> = []
  const isRepeated = makeIsRepeated()
  let wanted = 0
  let upTo: Position | undefined
  for (const event of events) {
    if (handlesStream(projection, event.stream)) {
      try {
        for (const write of projection.when(event)) if (!isRepeated(write)) writes.push(write)
      } catch (cause) {
        const message = `${event.type} at ${formatPosition(event.position)} of ${event.stream}: ${String(cause)}`
        return { writes, wanted, upTo, poison: new PoisonEvent({ message, cause }) }
      }
      wanted++
    }
    upTo = event.position
  }
  return { writes, wanted, upTo, poison: undefined }
}

const lingerMillis = 20

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

/**
 * Applies a batch in the traces of the requests that caused its events. Old events are in no trace: they are read for a
 * rebuild, and no request waits for it.
 */
export const tracedBatch = <A, E, R>(
  projection: Projection,
  events: ReadonlyArray<RecordedEvent>,
  apply: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    TraceContinuation,
    (go) =>
      go === undefined ? apply : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const origins = events.filter(({ recordedAt, stream }) =>
          now - recordedAt < lateMillis && handlesStream(projection, stream)
        )
        return go({
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

const lateMillis = 600_000
