import { Effect } from "effect"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { isBound, isSealed, placedAt, type Sealed } from "../../domain/sealed.ts"
import { EventStore } from "../../ports/event-store.ts"

/**
 * A sealed value of a row, with its place. A bound value opens in `record` only, whatever the row says. An unbound one could
 * be of any record, so its place is that of the event in `stream` that has it. Without such an event it does not open.
 */
export const placedRow = Effect.fnUntraced(function* (sealed: Sealed, record: string, stream: string) {
  if (isBound(sealed)) return placedAt(sealed, { record, position: undefined })
  const events = yield* (yield* EventStore).readStream(stream)
  const event = events.find(({ data }) => Object.values(data).some((value) => isSealed(value) && value.c === sealed.c))
  return event === undefined ? sealed : placedAt(sealed, { record: recordOf(event), position: event.position })
})
