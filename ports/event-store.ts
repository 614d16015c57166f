import { Context, type Effect, Schema, type Stream } from "effect"
import type { NewEvent, Position, RecordedEvent } from "../domain/events/recorded-event.ts"

/** The revision of the last event that the writer has seen. Every append names it. */
export type ExpectedRevision = "no-stream" | number

export interface Appended {
  readonly revision: number
  readonly position: Position
}

/** Another writer appended first. Load and decide again. */
export class WrongExpectedRevision extends Schema.TaggedError<WrongExpectedRevision>()("WrongExpectedRevision", {
  stream: Schema.String,
  expected: Schema.Union([Schema.Literal("no-stream"), Schema.Int]),
  actual: Schema.Union([Schema.Literal("no-stream"), Schema.Int])
}) {}

/**
 * The operation failed. After `unavailable` and `timeout` of an append the outcome is unknown: repeat it with the same
 * ids. After `disk-full` the log is unchanged.
 */
export class EventStoreError extends Schema.TaggedError<EventStoreError>()("EventStoreError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "timeout", "disk-full", "corrupt"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Whether an append that failed with this error may be in the log. */
export const isUnknownOutcome = (error: unknown): boolean =>
  error instanceof EventStoreError && (error.reason === "unavailable" || error.reason === "timeout")

/** The log: streams of events under optimistic concurrency, and one global order over all of them. */
export class EventStore extends Context.Service<EventStore, {
  /**
   * Adds events to the end of a stream, all or none; when it returns they survive a crash. An append that is
   * already in the log with the same ids at the next revisions succeeds again and changes nothing.
   */
  readonly append: (
    stream: string,
    expected: ExpectedRevision,
    events: ReadonlyArray<NewEvent>
  ) => Effect.Effect<Appended, WrongExpectedRevision | EventStoreError>
  /** At most `limit` events (default: all) of a stream from a revision on, oldest first. An unknown stream has none. */
  readonly readStream: (
    stream: string,
    options?: { readonly from?: number; readonly limit?: number }
  ) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** At most `limit` events after a position, in the global order. */
  readonly readAll: (
    options: { readonly after: Position; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /**
   * Fails while appends fail, with the reason. Succeeds again once the log can be written, without an append. An adapter
   * of a server has nothing to test, because `head` says whether the server answers.
   */
  readonly writable: Effect.Effect<void, EventStoreError>
  /** The position of the last durable event; `beginning` when the log is empty. */
  readonly head: Effect.Effect<Position, EventStoreError>
  /**
   * All events after a position, in pages, then every event that this or another process appends: no gap, no
   * duplicate, only durable events. Never ends.
   */
  readonly subscribe: (
    options: { readonly after: Position }
  ) => Stream.Stream<ReadonlyArray<RecordedEvent>, EventStoreError>
}>()("sliptrail/application/EventStore") {}
