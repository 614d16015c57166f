import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"

/** A set, scored by time, whose members leave the model after the retention. */
export interface Expiring {
  readonly set: string
  /** The writes that remove a member and what belongs to it. They must remove the member from the set. */
  readonly expire: (member: string, score: number) => ReadonlyArray<Write>
}

/**
 * Derives a read model from the log.
 *
 * `when` is pure: its result depends on the event alone, not on the read model or a clock. It may receive an event
 * again, after later events, and must then return the same writes.
 */
export interface Projection {
  /** Its name for people: in the status, in commands, in log messages. */
  readonly name: string
  /** Must be raised when `when` returns other writes for an old event: the model is then built from the beginning. */
  readonly version: number
  /** Prefixes of the names of the streams that it handles, such as `branch-`. */
  readonly streams: ReadonlyArray<string>
  /** Requests wait for its model, so it catches up before the others. */
  readonly isFirst?: boolean
  /** What leaves the model after the retention; nothing when it is absent. */
  readonly expiring?: ReadonlyArray<Expiring>
  readonly when: (event: RecordedEvent) => ReadonlyArray<Write>
}

/** Whether a projection handles the events of a stream. */
export const handlesStream = (projection: Pick<Projection, "streams">, stream: string): boolean =>
  projection.streams.some((prefix) => stream.startsWith(prefix))
