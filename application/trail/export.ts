import { Data, Effect, Schema } from "effect"
import { isBefore, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { trailAsLogged } from "./trail.ts"
import { isToBeOpened } from "./trail-opened.ts"
import type { TrailRequest, TrailSubject } from "./trail-subject.ts"

/** Which events of the log are exported. */
export interface ExportAsked {
  /** Milliseconds since 1970, both included: when they happened (`metadata.at`). */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Only what is a branch's: what was done to it and by it. */
  readonly branchId: string | undefined
}

/** Events read at a time: what is held of the log. */
const PAGE = 256

const isWithin = (
  { metadata: { at } }: RecordedEvent,
  { from = -Infinity, to = Infinity }: Pick<ExportAsked, "from" | "to">
): boolean => {
  if (from === -Infinity && to === Infinity) return true
  const millis = Date.parse(at)
  return millis >= from && millis <= to
}

const isBranch = Schema.is(Schema.Struct({ kind: Schema.Literal("branch"), id: Schema.String }))

const isOf = ({ data, metadata: { actor }, stream }: RecordedEvent, branchId: string): boolean => {
  if (data["branchId"] === branchId || stream === `branch-${branchId}`) return true
  if (actor.kind === "branch" && actor.id === branchId) return true
  const { branchIds, subject } = data
  // Who looked at the branch is told of it too.
  if (isBranch(subject) && subject.id === branchId) return true
  return Array.isArray(branchIds) && branchIds.includes(branchId)
}

const isSelected = (event: RecordedEvent, asked: ExportAsked): boolean =>
  isWithin(event, asked) && (asked.branchId === undefined || isOf(event, asked.branchId))

/** One step of an export. */
export interface ExportPage {
  /** In the global order of the log. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** How far it is: nothing that is asked for stands at or before this and was not handed on. */
  readonly at: Position
  /** Where the log ended when the export began, and so where the export ends. */
  readonly head: Position
}

/** What is exported. */
export interface Selection {
  readonly has: (event: RecordedEvent) => boolean
  /**
   * Hands events on page by page, in the global order of the log, from behind a position to where the log ended when it
   * began; no page is read before the one in front of it was taken. Gives the position that it reached.
   */
  readonly pages: <E, R>(
    after: Position,
    take: (page: ExportPage) => Effect.Effect<void, E, R>
  ) => Effect.Effect<Position, E | EventStoreError, R | EventStore>
}

/** What of the log is asked for. */
export const selectedOfLog = (asked: ExportAsked): Selection => ({
  has: (event) => isSelected(event, asked),
  pages: Effect.fnUntraced(function* (after, take) {
    const store = yield* EventStore
    const head = yield* store.head
    let at = after
    while (isBefore(at, head)) {
      const page = yield* store.readAll({ after: at, limit: PAGE })
      const within = page.filter(({ position }) => !isBefore(head, position))
      const last = within.at(-1)
      at = last?.position ?? head
      yield* take({ events: within.filter((event) => isSelected(event, asked)), at, head })
      // The embedded log is read synchronously: without this an export would keep the process from being stopped.
      yield* Effect.yieldNow
    }
    return at
  })
})

/**
 * What `trail` tells of a subject or a request, within the bounds, just as it stands in the log; fails with `TrailEmpty`
 * when nothing is known of it. Of a request under whose id there is too much, what came first; then `isTruncated`.
 */
export const selectedOfTrail = Effect.fnUntraced(function* (
  subject: TrailSubject | TrailRequest,
  bounds: Pick<ExportAsked, "from" | "to">
) {
  const { head } = yield* EventStore
  const end = yield* head
  const trail = yield* trailAsLogged(subject)
  const events = trail.events.filter((event) => !isBefore(end, event.position) && isWithin(event, bounds))
  const places = new Set(events.map(({ id }) => id))
  const selection: Selection = {
    has: ({ id }) => places.has(id),
    pages: Effect.fnUntraced(function* (after, take) {
      const left = events.filter(({ position }) => isBefore(after, position))
      for (let first = 0; first < left.length; first += PAGE) {
        const page = left.slice(first, first + PAGE)
        yield* take({ events: page, at: page.at(-1)?.position ?? end, head: end })
      }
      return isBefore(after, end) ? end : after
    })
  }
  return { selection, isTruncated: trail.isTruncated }
})

/** Ends the look at the pages as soon as one has what is looked for. */
class Found extends Data.TaggedError("Found")<{}> {}

/** Whether there is personal data behind a position that an export in the clear would open. */
export const hasToBeOpened = ({ pages }: Selection, after: Position) =>
  pages(
    after,
    Effect.fnUntraced(function* ({ events }) {
      for (const event of events) if (yield* isToBeOpened(event)) return yield* new Found()
    })
  ).pipe(Effect.as(false), Effect.catchTag("Found", () => Effect.succeed(true)))
