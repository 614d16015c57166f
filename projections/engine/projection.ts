import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"

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
  readonly when: (event: RecordedEvent) => ReadonlyArray<Write>
}

/** Whether a projection handles the events of a stream. */
export const handlesStream = (projection: Pick<Projection, "streams">, stream: string): boolean =>
  projection.streams.some((prefix) => stream.startsWith(prefix))
