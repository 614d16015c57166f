import { Effect } from "effect"
import type { JsonObject, NewEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"

export const someEvent = (id: string, type: string, data: JsonObject = {}): NewEvent => ({
  id,
  type,
  data,
  metadata: {
    at: "2026-11-21T00:00:00.000Z",
    correlationId: "correlation",
    causationId: "causation",
    actor: { kind: "system", id: "test" },
    schema: 1
  }
})

/** Appends an event to the end of a stream, with a unique id. */
export const appendEvent = Effect.fnUntraced(function* (stream: string, type: string, data: JsonObject = {}) {
  const store = yield* EventStore
  const last = (yield* store.readStream(stream)).at(-1)
  return yield* store.append(stream, last?.revision ?? "no-stream", [
    someEvent(`${stream}#${(last?.revision ?? -1) + 1}`, type, data)
  ])
})
