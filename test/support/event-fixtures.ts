import { Effect } from "effect"
import type { EventMetadata, JsonObject, NewEvent, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"

/** An event of a system, unless its metadata say otherwise. */
export const someEvent = (
  id: string,
  type: string,
  data: JsonObject = {},
  metadata: Partial<EventMetadata> = {}
): NewEvent => ({
  id,
  type,
  data,
  metadata: {
    at: "2026-11-21T00:00:00.000Z",
    correlationId: "correlation",
    causationId: "causation",
    actor: { kind: "system", id: "test" },
    schema: 1,
    ...metadata
  }
})

/** Fields of a command to verify a slip that events have only when there is something to say. */
export const withoutLaterFields = {
  toCheck: undefined,
  accountId: undefined,
  remarkDigest: undefined,
  tookMillis: undefined,
  tailDigest: undefined
}

/** An event as a store returns it: by default the first one of its stream, at the beginning of the log. */
export const recordedEvent = (
  type: string,
  data: JsonObject = {},
  { metadata = {}, ...more }: Partial<Omit<RecordedEvent, "metadata">> & {
    readonly metadata?: Partial<EventMetadata>
  } = {}
): RecordedEvent => ({
  ...someEvent("00000000-0000-0000-0000-000000000000", type, data, metadata),
  stream: "stream-1",
  revision: 0,
  position: { commit: 0n, prepare: 0n },
  recordedAt: 0,
  ...more
})

/** Appends an event to the end of a stream, with a unique id. */
export const appendEvent = Effect.fnUntraced(function* (stream: string, type: string, data: JsonObject = {}) {
  const store = yield* EventStore
  const last = (yield* store.readStream(stream)).at(-1)
  return yield* store.append(stream, last?.revision ?? "no-stream", [
    someEvent(`${stream}#${(last?.revision ?? -1) + 1}`, type, data)
  ])
})
