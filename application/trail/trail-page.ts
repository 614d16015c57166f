import { Data, Effect } from "effect"
import { historyOf, type Segment } from "./trail-sources.ts"
import { formatPosition, isBefore, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { EventStore, EventStoreError } from "../../ports/event-store.ts"
import type { Member, ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Vault } from "../../ports/vault.ts"
import { formatCursor, type PageQuery, parseCursor } from "../../projections/engine/page.ts"

type Read<A> = Effect.Effect<A, EventStoreError | ReadModelsError, EventStore | ReadModels | Vault>

/** One of the items of which a trail consists, such as a verification. */
export interface TrailItem extends Member {
  /** The event of the item, when the section has read it already. `segments` then lead to its other events. */
  readonly event?: RecordedEvent
}

/** A list of items. A trail is a sequence of sections. */
export interface Section {
  /** Unique in the trail. It stands in cursors. */
  readonly name: string
  /** At most `limit` items; fewer only at the end of the list. */
  readonly items: (range: { readonly after?: Member; readonly limit: number }) => Read<ReadonlyArray<TrailItem>>
  /** Where the events of an item are. */
  readonly segments: (item: Member) => Read<ReadonlyArray<Segment>>
}

/** A section with one item. */
export const single = (name: string, segments: Read<ReadonlyArray<Segment>>): Section => ({
  name,
  items: ({ after }) => Effect.succeed(after === undefined ? [{ member: name, score: 0 }] : []),
  segments: () => segments
})

/** A page of a trail: `nextCursor` is null on the last one. */
export interface TrailPage {
  /** In the order of the log. */
  readonly events: ReadonlyArray<RecordedEvent>
  readonly nextCursor: string | null
}

/** The service did not issue this cursor for this trail. */
export class CursorUnknown extends Data.TaggedError("CursorUnknown")<{}> {}

/** Where a page ends: after an item, or before a revision of a stream of the item. */
interface End {
  readonly section: string
  readonly item: Member
  readonly before: { readonly stream: string; readonly revision: number } | undefined
}

// No id, name of a stream or request id contains the separator.
const SEPARATOR = "~"

const formatEnd = ({ before, item, section }: End): string =>
  [formatCursor(item), section, ...before === undefined ? [] : [before.stream, before.revision]].join(SEPARATOR)

const parseEnd = (cursor: string): Effect.Effect<End, CursorUnknown> => {
  const [text = "", section = "", stream, revisionText = "0"] = cursor.split(SEPARATOR)
  const item = parseCursor(text)
  const revision = Number(revisionText)
  return Number.isSafeInteger(item.score) && Number.isSafeInteger(revision)
    ? Effect.succeed({ section, item, before: stream === undefined ? undefined : { stream, revision } })
    : Effect.fail(new CursorUnknown())
}

/** Items and events read at a time. */
const CHUNK = 50
const CONCURRENCY = 10

/** The events in the order of the log, without duplicates. */
export const inLogOrder = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<RecordedEvent> => {
  const byPosition = new Map(events.map((event) => [formatPosition(event.position), event]))
  return [...byPosition.values()].sort((left, right) => isBefore(left.position, right.position) ? -1 : 1)
}

export interface TrailPageQuery extends PageQuery {
  /** Only events up to that time, in milliseconds since 1970. */
  readonly upTo: number | undefined
}

const isIn = ({ from = 0, limit = Infinity, stream }: Segment, place: NonNullable<End["before"]>): boolean =>
  stream === place.stream && from <= place.revision && place.revision < from + limit

const readSections = Effect.fnUntraced(
  function* (sections: ReadonlyArray<Section>, { cursor, limit, upTo }: TrailPageQuery) {
    const events: Array<RecordedEvent> = []
    // Each item costs one, and so does each event after its first, whether the trail contains it or not. So a page has
    // bounded costs.
    let budget = limit
    let free = 0

    const readSegments = Effect.fnUntraced(
      function* (segments: ReadonlyArray<Segment>, start: End["before"]) {
        const first = start === undefined ? 0 : segments.findIndex((segment) => isIn(segment, start))
        if (first === -1) return yield* new CursorUnknown()
        for (const [index, { from = 0, has, limit = Infinity, stream }] of segments.slice(first).entries()) {
          let revision = index === 0 && start !== undefined ? start.revision : from
          while (revision < from + limit) {
            if (budget + free <= 0) return { stream, revision }
            const wanted = Math.min(CHUNK, budget + free, from + limit - revision)
            const read = yield* historyOf(stream, upTo, { from: revision, limit: wanted })
            for (const event of read) if (has?.(event) ?? true) events.push(event)
            budget -= Math.max(0, read.length - free)
            free = Math.max(0, free - read.length)
            revision += read.length
            if (read.length < wanted) break
          }
        }
        return undefined
      }
    )

    let end = cursor === undefined ? undefined : yield* parseEnd(cursor)
    const first = end === undefined ? 0 : sections.findIndex(({ name }) => name === end?.section)
    if (first === -1) return yield* new CursorUnknown()
    for (const [index, { items, name: section, segments }] of sections.slice(first).entries()) {
      let after = index === 0 ? end?.item : undefined
      if (index === 0 && end?.before !== undefined) {
        const before = yield* readSegments(yield* segments(end.item), end.before)
        end = { ...end, before }
        if (before !== undefined) return { events, end }
      }
      while (true) {
        if (budget <= 0) return { events, end }
        const wanted = Math.min(CHUNK, budget)
        const found = yield* items({ ...after === undefined ? {} : { after }, limit: wanted })
        const segmentsOfEach = yield* Effect.forEach(found, segments, { concurrency: CONCURRENCY })
        for (const [place, { event, member, score }] of found.entries()) {
          if (budget <= 0) return { events, end }
          budget -= 1
          free = event === undefined ? 1 : 0
          if (event !== undefined) events.push(event)
          after = { member, score }
          const before = yield* readSegments(segmentsOfEach[place] ?? [], undefined)
          end = { section, item: after, before }
          if (before !== undefined) return { events, end }
        }
        if (found.length < wanted) break
        yield* Effect.yieldNow
      }
    }
    return { events, end: undefined }
  }
)

/**
 * A page of a trail with at most `limit` events. An item without events takes the place of one, so a page can have fewer
 * events, even none, while there is a next one.
 */
export const readPage = Effect.fnUntraced(function* (sections: ReadonlyArray<Section>, query: TrailPageQuery) {
  const { end, events } = yield* readSections(sections, query)
  const page: TrailPage = { events: inLogOrder(events), nextCursor: end === undefined ? null : formatEnd(end) }
  if (page.nextCursor === null) return page
  // A page that ends with the last event is the last page.
  const rest = yield* readSections(sections, { ...query, cursor: page.nextCursor, limit: 1 })
  return rest.end === undefined && rest.events.length === 0 ? { ...page, nextCursor: null } : page
})
