import { Effect } from "effect"
import { EventStore, isBehind, type Position, type RecordedEvent } from "../ports/event-store.ts"

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

const isWithin = ({ metadata: { at } }: RecordedEvent, { from = -Infinity, to = Infinity }: ExportAsked): boolean => {
  if (from === -Infinity && to === Infinity) return true
  const millis = Date.parse(at)
  return millis >= from && millis <= to
}

const isOf = ({ data, metadata: { actor }, stream }: RecordedEvent, branchId: string): boolean => {
  if (data["branchId"] === branchId || stream === `branch-${branchId}`) return true
  if (actor.kind === "branch" && actor.id === branchId) return true
  const { branchIds } = data
  return Array.isArray(branchIds) && branchIds.includes(branchId)
}

/** Whether an event is one of those that are asked for. */
export const isSelected = (event: RecordedEvent, asked: ExportAsked): boolean =>
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

/**
 * Hands the events that are asked for on page by page, in the global order of the log, from behind a position to where
 * the log ends now; no page is read before the one in front of it was taken. Gives the position that it reached.
 */
export const exportEvents = Effect.fnUntraced(function*<E, R>(
  asked: ExportAsked,
  after: Position,
  take: (page: ExportPage) => Effect.Effect<void, E, R>
) {
  const store = yield* EventStore
  const head = yield* store.head
  let at = after
  while (isBehind(at, head)) {
    const page = yield* store.readAll({ after: at, limit: PAGE })
    const within = page.filter(({ position }) => !isBehind(head, position))
    const last = within.at(-1)
    at = last?.position ?? head
    yield* take({ events: within.filter((event) => isSelected(event, asked)), at, head })
    // The embedded log is read synchronously: without this an export would keep the process from being stopped.
    yield* Effect.yieldNow
  }
  return at
})
