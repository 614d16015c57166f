import { Schema, type Stream } from "effect"
import type { TreeHead } from "../domain/log-proof/tree-head.ts"
import type { Position, RecordedEvent } from "../domain/events/recorded-event.ts"

/** An event of a log, without the time at which the store recorded it: no signature covers that time. */
export type LoggedEvent = Omit<RecordedEvent, "recordedAt">

/** One entry of a log under verification. Texts are for a person. */
export type LogEntry =
  | {
    readonly _tag: "Event"
    readonly event: LoggedEvent
    /** What is wrong with the event's bytes, although they can be read: the service writes other bytes. */
    readonly anomaly?: string
  }
  | {
    readonly _tag: "Unreadable"
    /** Undefined when the position is unknown too. */
    readonly position: Position | undefined
    /** Where the entry is. */
    readonly place: string
    readonly why: string
  }
  /** The store records that it held events from `from` to `to` and no longer does. */
  | { readonly _tag: "Missing"; readonly from: Position; readonly to: Position }
  /** Something beside the events was changed so that events look different or future events will be. */
  | { readonly _tag: "StoreChanged"; readonly what: string }

/** The log cannot be read, or cannot be read further; `message` says why. */
export class LogSourceError extends Schema.TaggedError<LogSourceError>()("LogSourceError", {
  /** True: the log was changed. False: it may only be unavailable. */
  isDamaged: Schema.Boolean,
  message: Schema.String
}) {}

/**
 * A log under verification, in any storage, from its beginning to where it ended when it was opened. An unreadable
 * event is an entry too, so the rest is still verified.
 */
export interface LogSource {
  readonly events: Stream.Stream<ReadonlyArray<LogEntry>, LogSourceError>
  /** The stream of tree heads alone. It is read beside the events and ahead of them. */
  readonly treeHeads: Stream.Stream<LogEntry, LogSourceError>
}

/** A line of the file of tree heads. */
export interface TreeHeadLine {
  /** Where the line is, for a person. */
  readonly place: string
  /** Undefined when the line is not a tree head, or has other bytes than the service writes. */
  readonly treeHead: TreeHead | undefined
}
