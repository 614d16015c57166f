import type { EventCodec } from "../../domain/events/event-codec.ts"
import type { JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"

/** JSON leaves out a field that is named by a symbol. */
const DECODED: unique symbol = Symbol("decoded")

interface Keeping extends RecordedEvent {
  [DECODED]?: {
    readonly codec: unknown
    readonly type: string
    readonly data: JsonObject
    readonly event: unknown
  }
}

/**
 * Decodes an event of an aggregate.
 *
 * Hot path: the projections of an event decode it once, and keep the result in it, because the garbage collector looks at
 * each entry of a WeakMap. Guarded by `npm run bench -- rebuild`.
 */
export const decoded = <Event>({ codec }: { readonly codec: EventCodec<Event> }, recorded: Keeping): Event => {
  const { data, [DECODED]: kept, type } = recorded
  // A copy of the event with other data has the field too.
  if (kept?.codec === codec && kept.data === data && kept.type === type) return kept.event as Event
  const event = codec.decode(recorded)
  recorded[DECODED] = { codec, data, type, event }
  return event
}
