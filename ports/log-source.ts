import { Schema, type Stream } from "effect"
import type { TreeHead } from "../domain/log-proof/tree-head.ts"
import type { Position, RecordedEvent } from "../domain/events/recorded-event.ts"

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
  /** Events were here, and are no more: the store itself remembers. */
  | { readonly _tag: "Missing"; readonly from: Position; readonly to: Position }
  /** Something beside the events by which they look other than they are, or the next ones become so; in words. */
  | { readonly _tag: "Amiss"; readonly what: string }

/** The log can't be read, or not read on; `message` says why. */
export class LogSourceError extends Schema.TaggedError<LogSourceError>()("LogSourceError", {
  /** Something was done to it; otherwise it may only be out of reach. */
  isDamaged: Schema.Boolean,
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

/** A line of the file of checkpoints. */
export interface TreeHeadLine {
  /** Where it stands, in words. */
  readonly place: string
  /** Undefined when it is none, or not written as one. */
  readonly checkpoint: TreeHead | undefined
}
