import { Data, Effect, Schema } from "effect"
import { formatPosition, isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { hasReadableData } from "./sealed-fields.ts"
import { TrailEmpty, trailPageAsLogged, type TrailRequest, type TrailSubject } from "./trail.ts"

export interface ExportFilter {
  /** Bounds of the events' time (`metadata.at`) in Unix milliseconds, both included. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Only events that the branch caused or that concern it. */
  readonly branchId: string | undefined
}

type Period = Pick<ExportFilter, "from" | "to">

/** Events read at a time. It bounds the memory of an export. */
const PAGE = 256

const isWithin = ({ metadata: { at } }: RecordedEvent, { from = -Infinity, to = Infinity }: Period): boolean => {
  if (from === -Infinity && to === Infinity) return true
  const millis = Date.parse(at)
  return millis >= from && millis <= to
}

const isBranchSubject = Schema.is(Schema.Struct({ kind: Schema.Literal("branch"), id: Schema.String }))

const isOfBranch = ({ data, metadata: { actor }, stream }: RecordedEvent, branchId: string): boolean => {
  if (data["branchId"] === branchId || stream === `branch-${branchId}`) return true
  if (actor.kind === "branch" && actor.id === branchId) return true
  const { branchIds, subject } = data
  // The event is a disclosure of the branch's data.
  if (isBranchSubject(subject) && subject.id === branchId) return true
  return Array.isArray(branchIds) && branchIds.includes(branchId)
}

export interface ExportPage {
  /** In the global order of the log. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** The position reached: the pages so far contain all selected events up to it. */
  readonly at: Position
  /** The end of the log when the export began. The export ends there. */
  readonly head: Position
}

export interface Selection {
  readonly has: (event: RecordedEvent) => boolean
  /**
   * Passes the selected events after a position to `take`, page by page, up to the end of the log at the start. Reads
   * the next page after `take` returns. Returns the position reached.
   */
  readonly pages: <E, R>(
    after: Position,
    take: (page: ExportPage) => Effect.Effect<void, E, R>
  ) => Effect.Effect<Position, E | EventStoreError, R | EventStore>
}

/** Selects events of the whole log. */
export const selectEvents = (filter: ExportFilter): Selection => {
  const { branchId } = filter
  const has = (event: RecordedEvent): boolean =>
    isWithin(event, filter) && (branchId === undefined || isOfBranch(event, branchId))
  return {
    has,
    pages: Effect.fnUntraced(function* (after, take) {
      const store = yield* EventStore
      const head = yield* store.head
      let at = after
      while (isBefore(at, head)) {
        const page = yield* store.readAll({ after: at, limit: PAGE })
        const upToHead = page.filter(({ position }) => !isBefore(head, position))
        at = upToHead.at(-1)?.position ?? head
        yield* take({ events: upToHead.filter(has), at, head })
        // Embedded engines work synchronously: without this, the command would not react to signals.
        yield* Effect.yieldNow
      }
      return at
    })
  }
}

/** The place of an event of a trail. It needs much less memory than the event. */
type TrailPlace = Pick<RecordedEvent, "position" | "revision" | "stream">

/** The places of the events of a trail within a period, in the order of the log. */
const placesOfTrail = Effect.fnUntraced(
  function* (subject: TrailSubject | TrailRequest, period: Period, end: Position) {
    const places = new Map<string, TrailPlace>()
    let isEmpty = true
    let cursor: string | undefined
    while (true) {
      const { events, nextCursor } = yield* trailPageAsLogged(subject, { cursor, limit: PAGE, upTo: undefined })
      isEmpty &&= events.length === 0
      for (const event of events) {
        const { position, revision, stream } = event
        if (isBefore(end, position) || !isWithin(event, period)) continue
        places.set(formatPosition(position), { position, revision, stream })
      }
      if (nextCursor === null) break
      cursor = nextCursor
      yield* Effect.yieldNow
    }
    if (isEmpty) return yield* new TrailEmpty({})
    return [...places.values()].sort((one, other) => isBefore(one.position, other.position) ? -1 : 1)
  }
)

/** The events at some places. Neighbours in a stream are read together. */
const eventsAt = Effect.fnUntraced(function* (places: ReadonlyArray<TrailPlace>) {
  const { readStream } = yield* EventStore
  const events: Array<RecordedEvent> = []
  for (let first = 0; first < places.length;) {
    const { revision = 0, stream = "" } = places[first] ?? {}
    let next = first + 1
    while (places[next]?.stream === stream && places[next]?.revision === revision + next - first) next++
    events.push(...yield* readStream(stream, { from: revision, limit: next - first }))
    first = next
  }
  return events
})

/**
 * Selects the trail of a subject or a request within a period, as the log holds it. Fails with `TrailEmpty` when the
 * trail has no events. It finds the places of all events first, because the trail is not in the order of the log. So
 * the memory that it needs grows by about 200 bytes for each event.
 */
export const selectTrail = Effect.fnUntraced(function* (subject: TrailSubject | TrailRequest, period: Period) {
  const end = yield* (yield* EventStore).head
  const places = yield* placesOfTrail(subject, period, end)
  const selection: Selection = {
    has: ({ revision, stream }) => places.some((place) => place.revision === revision && place.stream === stream),
    pages: Effect.fnUntraced(function* (after, take) {
      const start = places.findIndex(({ position }) => isBefore(after, position))
      const remaining = start === -1 ? [] : places.slice(start)
      for (let first = 0; first < remaining.length; first += PAGE) {
        const events = yield* eventsAt(remaining.slice(first, first + PAGE))
        yield* take({ events, at: events.at(-1)?.position ?? end, head: end })
        yield* Effect.yieldNow
      }
      return isBefore(after, end) ? end : after
    })
  }
  return selection
})

/** Ends the reading of pages at the first match. */
class Found extends Data.TaggedError("Found")<{}> {}

/** Whether a selection has any event after a position. */
export const hasEvents = ({ pages }: Selection, after: Position) =>
  pages(after, ({ events }) => events.length === 0 ? Effect.void : Effect.fail(new Found())).pipe(
    Effect.as(false),
    Effect.catchTag("Found", () => Effect.succeed(true))
  )

/** Whether an export with opened data shows any personal data after a position. */
export const showsPersonalData = ({ pages }: Selection, after: Position) =>
  pages(
    after,
    Effect.fnUntraced(function* ({ events }) {
      for (const event of events) if (yield* hasReadableData(event)) return yield* new Found()
    })
  ).pipe(Effect.as(false), Effect.catchTag("Found", () => Effect.succeed(true)))
