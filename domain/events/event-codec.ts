import { Schema } from "effect"
import type { JsonObject, RecordedEvent } from "./recorded-event.ts"

/** How the events of an aggregate stand in the log: the tag is the event's type, the other fields its data. */
export interface EventCodec<Event> {
  readonly encode: (event: Event) => { readonly type: string; readonly data: JsonObject }
  /**
   * Reads an event back. Throws on a type or a shape that this version doesn't know: to decide without an event that
   * happened would be worse than to stop. Reading the same recorded event again is free.
   */
  readonly decode: (recorded: RecordedEvent) => Event
}

/** A codec out of the aggregate's event schema. Its fields are plain JSON, so that they are stored as they stand. */
export const eventCodec = <Event extends JsonObject & { readonly _tag: string }>(
  schema: Schema.Codec<Event, unknown>
): EventCodec<Event> => {
  const decodeSync = Schema.decodeUnknownSync(schema)
  const decoded = new WeakMap<RecordedEvent, Event>()
  return {
    encode: (event) => {
      const { _tag, ...data }: JsonObject & { readonly _tag: string } = event
      return { type: _tag, data }
    },
    decode: (recorded) => {
      const known = decoded.get(recorded)
      if (known !== undefined) return known
      const event = decodeSync({ ...recorded.data, _tag: recorded.type })
      decoded.set(recorded, event)
      return event
    }
  }
}
