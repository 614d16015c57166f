import { makeCursorCheck } from "./cursors.ts"
import { Effect } from "effect"
import type { TrailRequest, TrailSubject } from "../../../application/trail/trail.ts"
import { isBefore, parsePosition } from "../../../domain/events/recorded-event.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import type { Call } from "./request.ts"

/** An event of a trail, as the admin API has it. */
export type TrailItem = DataOf<"getTrail">["events"][number]

/** The query of the admin API for a subject or a request. */
export const trailQuery = (subject: TrailSubject | TrailRequest) => {
  switch (subject._tag) {
    case "Job":
      return { job: subject.id }
    case "Slip":
      return { slip: `${subject.sendingBank}:${subject.transRef}` }
    case "Verification":
      return { verification: subject.id }
    case "Branch":
      return { branch: subject.id }
    case "Request":
      return { request: subject.id }
  }
}

/** The most events of a page. */
const PAGE = 500

/** How sealed data is shown. */
export type Show = { readonly reveal: "true" } | { readonly masked: "true" } | {}

const isEarlier = (one: TrailItem, other: TrailItem): boolean => {
  const [position, otherPosition] = [parsePosition(one.position), parsePosition(other.position)]
  return position !== undefined && otherPosition !== undefined && isBefore(position, otherPosition)
}

/**
 * The events of a trail in the order of the log, and whether there are more than `limit`. A trail comes in pages that are
 * not in this order, so all of its events are in memory.
 */
export const remoteTrail = Effect.fnUntraced(
  function* (call: Call, subject: TrailSubject | TrailRequest, show: Show, limit: number) {
    const items = new Map<string, TrailItem>()
    const checkCursor = makeCursorCheck()
    let cursor: string | undefined
    let left = limit
    while (true) {
      const query = { ...trailQuery(subject), ...show, cursor, limit: Math.min(PAGE, left) }
      const { events, nextCursor } = yield* call({ name: "getTrail", query })
      for (const event of events) items.set(event.position, event)
      left -= events.length
      if (nextCursor === null || left <= 0) {
        const inOrder = [...items.values()].sort((one, other) => isEarlier(one, other) ? -1 : 1)
        return { items: inOrder, isTruncated: nextCursor !== null }
      }
      cursor = yield* checkCursor(nextCursor)
    }
  }
)
