import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"

/**
 * How a read model follows from the log.
 *
 * `when` is pure and looks at one event alone: never at the read model, a clock or anything else. It may be given an
 * event again, after others, and then must give the same writes.
 */
export interface Projection {
  /** What people call it: in status, in commands, in the log. */
  readonly name: string
  /** Raised whenever `when` would write something else for an event of old: the model is then built anew. */
  readonly version: number
  /** Beginnings of the names of the streams it looks at, such as `branch-`. */
  readonly streams: ReadonlyArray<string>
  readonly when: (event: RecordedEvent) => ReadonlyArray<Write>
}

/** Whether a projection wants to see the events of a stream. */
export const handlesStream = (projection: Pick<Projection, "streams">, stream: string): boolean =>
  projection.streams.some((prefix) => stream.startsWith(prefix))
