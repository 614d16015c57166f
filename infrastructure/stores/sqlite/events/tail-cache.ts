import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { type LogReader, recordedEvent } from "./log-reader.ts"
import type { FlatEvents } from "./messages.ts"

/** An append that came out. */
export interface CameOut {
  readonly stream: string
  readonly events: FlatEvents
  /** Of its last event. */
  readonly revision: number
  readonly position: number
  /** In milliseconds since 1970. */
  readonly recordedAt: number
}

/**
 * The newest events of the log, as this process has appended them: who follows the log needs no look into the file for
 * what was still at hand a moment ago. All of them are durable, and there is no gap between them.
 */
export interface RecentEvents {
  /** Takes an append. One that does not stand right behind the last one, as after other processes', begins anew. */
  readonly add: (append: CameOut) => void
  /** Events behind `after`, at or before `upTo`; undefined when they aren't all kept. */
  readonly between: (after: number, limit: number, upTo: number) => ReadonlyArray<RecordedEvent> | undefined
}

interface RememberedFailure {
  readonly chars: number
  /** Read from its JSON once it is asked for: what is told is what stands in the file, and not what was meant. */
  readonly event: () => RecordedEvent
}

const MOST_EVENTS = 1_024
const MOST_CHARS = 2 ** 21

export const makeRecentEvents = (): RecentEvents => {
  let kept: Array<RememberedFailure> = []
  let chars = 0
  /** Position of the last one. */
  let last = 0

  const dropHalf = () => {
    kept = kept.slice(Math.ceil(kept.length / 2))
    chars = kept.reduce((sum, one) => sum + one.chars, 0)
  }

  return {
    add: ({ events, position, recordedAt, revision, stream }) => {
      const count = events.length / 4
      if (position - count !== last) [kept, chars] = [[], 0]
      for (let index = 0; index < count; index++) {
        const back = count - 1 - index
        const [id = "", type = "", data = "", metadata = ""] = events.slice(index * 4, index * 4 + 4)
        const place = { stream, revision: revision - back, position: position - back, recordedAt }
        let event: RecordedEvent | undefined
        kept.push({
          chars: data.length + metadata.length,
          event: () => event ??= recordedEvent({ id: id.toLowerCase(), type, data, metadata, ...place })
        })
        chars += data.length + metadata.length
      }
      last = position
      while (kept.length > MOST_EVENTS || chars > MOST_CHARS) dropHalf()
    },
    between: (after, limit, upTo) => {
      const first = last - kept.length + 1
      const wanted = limit < 0 ? upTo - after : Math.min(limit, upTo - after)
      if (wanted <= 0) return []
      if (after + 1 < first || after + wanted > last) return undefined
      return kept.slice(after + 1 - first, after + 1 - first + wanted).map(({ event }) => event())
    }
  }
}

/** Reads the end of the log from what is at hand, and everything else from the file. */
export const readingRecent = (reader: LogReader, recent: RecentEvents): LogReader => ({
  ...reader,
  all: (after, limit, upTo) => recent.between(after, limit, upTo) ?? reader.all(after, limit, upTo),
  streamsBetween: (after, upTo) =>
    recent.between(after, -1, upTo)?.map(({ stream }) => stream) ?? reader.streamsBetween(after, upTo)
})
