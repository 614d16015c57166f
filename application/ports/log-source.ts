import { Schema, type Stream } from "effect"
import type { Position, RecordedEvent } from "./event-store.ts"

/** An event as it stands in a log, without the store's own word on when it took it. */
export type LoggedEvent = Omit<RecordedEvent, "recordedAt">

/** What stands at a place of a log. */
export type LogEntry =
  | {
    readonly _tag: "Event"
    readonly event: LoggedEvent
    /** What is wrong with its bytes although they can be read: nobody would have written them like that. */
    readonly oddity?: string
  }
  | {
    readonly _tag: "Unreadable"
    /** Undefined where it is not even told at what position. */
    readonly position: Position | undefined
    /** Where it stands, in words. */
    readonly place: string
    readonly why: string
  }

/** The log can't be read on; `message` says why. */
export class LogSourceError extends Schema.TaggedError<LogSourceError>()("LogSourceError", {
  message: Schema.String
}) {}

/**
 * A log to be examined, wherever it is kept, from its beginning to where it ended when it was opened. What can't be
 * read is an entry too, so that the rest is looked at all the same.
 */
export interface LogSource {
  readonly events: Stream.Stream<ReadonlyArray<LogEntry>, LogSourceError>
  /** The stream of checkpoints by itself, which is read beside the events and ahead of them. */
  readonly checkpoints: Stream.Stream<LogEntry, LogSourceError>
}
