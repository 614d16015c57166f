import { Effect } from "effect"
import { formatPosition, isBefore } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import type { Run } from "./run.ts"
import { leftAlone } from "./target.ts"

/**
 * Behind which position an export goes on: where its target ends already. That must be the same export, so its last line
 * has to be what would be written now for the event that it tells of.
 */
export const placeReached = Effect.fnUntraced(function* <E, R>({ after, format, selection, show, target }: Run<E, R>) {
  const { lines } = target
  if (lines === undefined) return after
  const mark = format.markOf(lines.last)
  if (mark !== format.mark) {
    return yield* leftAlone(target.name, `an export of "${mark}", and this one is of "${format.mark}"`)
  }
  const changed = leftAlone(
    target.name,
    `an export of "${mark}", but this command would write another line than its last one now: it was changed, is of `
      + "another log, or tells what was forgotten since"
  )
  const place = format.placeOf(lines.last)
  if (place === undefined) return yield* changed
  const { readAll, readStream } = yield* EventStore
  const [event] = yield* readStream(place.stream, { from: place.revision, limit: 1 })
  if (event === undefined || formatPosition(event.position) !== place.position) return yield* changed
  if (!selection.has(event) || format.line(yield* show(event)) !== lines.last) return yield* changed
  if (!format.isMarked) {
    const [first] = yield* readAll({ after, limit: 1 })
    if (first === undefined || format.line(yield* show(first)) !== lines.first) {
      return yield* leftAlone(
        target.name,
        `an export of "${mark}" that begins with another event: one of both was asked for with another --after`
      )
    }
  }
  return isBefore(event.position, after) ? after : event.position
})
