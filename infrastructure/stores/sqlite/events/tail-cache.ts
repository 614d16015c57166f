import type { EventMetadata, JsonObject, RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import type { AppendMessage, AppendOutcome } from "./append-batch.ts"
import type { LogReader, StoredEvent } from "./log-reader.ts"

/**
 * The newest events of the log that this process appended, so that readers that follow the log do not read the file.
 * All of them are durable, and there is no gap between them.
 */
export interface TailCache {
  /** Adds a committed append. Clears the cache first if the append does not directly follow the last cached event. */
  readonly add: (append: AppendMessage, outcome: AppendOutcome, recordedAt: number) => void
  /** Events after `after`, at or before `upTo`; undefined when the cache lacks one of them. `limit` -1 is no limit. */
  readonly between: (after: number, limit: number, upTo: number) => ReadonlyArray<RecordedEvent> | undefined
}

interface CachedEvent {
  readonly chars: number
  readonly event: RecordedEvent
}

/**
 * Parses the stored JSON on the first use, so that readers get the same event as from the file. Most readers of new events
 * follow their positions only.
 */
const cachedEvent = ({ data: dataText, metadata: metadataText, position: at, ...stored }: StoredEvent): CachedEvent => {
  const position = BigInt(at)
  let data: JsonObject | undefined
  let metadata: EventMetadata | undefined
  return {
    chars: dataText.length + metadataText.length,
    event: {
      ...stored,
      position: { commit: position, prepare: position },
      get data() {
        return data ??= JSON.parse(dataText) as JsonObject
      },
      get metadata() {
        return metadata ??= JSON.parse(metadataText) as EventMetadata
      }
    }
  }
}

const MAX_EVENTS = 1_024
const MAX_CHARS = 2 ** 21

export const makeTailCache = (): TailCache => {
  let cached: Array<CachedEvent> = []
  let chars = 0
  /** Position of the last cached event. */
  let last = 0

  const dropHalf = () => {
    cached = cached.slice(Math.ceil(cached.length / 2))
    chars = cached.reduce((sum, event) => sum + event.chars, 0)
  }

  return {
    add: ([stream, , events], [, revision, position], recordedAt) => {
      const count = events.length / 4
      if (position - count !== last) [cached, chars] = [[], 0]
      for (let index = 0; index < count; index++) {
        const back = count - 1 - index
        const [id = "", type = "", data = "", metadata = ""] = events.slice(index * 4, index * 4 + 4)
        const location = { stream, revision: revision - back, position: position - back, recordedAt }
        cached.push(cachedEvent({ id: id.toLowerCase(), type, data, metadata, ...location }))
        chars += data.length + metadata.length
      }
      last = position
      while (cached.length > MAX_EVENTS || chars > MAX_CHARS) dropHalf()
    },
    between: (after, limit, upTo) => {
      const first = last - cached.length + 1
      const wanted = limit < 0 ? upTo - after : Math.min(limit, upTo - after)
      if (wanted <= 0) return []
      if (after + 1 < first || after + wanted > last) return undefined
      return cached.slice(after + 1 - first, after + 1 - first + wanted).map(({ event }) => event)
    }
  }
}

/** A reader that takes the end of the log from the cache, and everything else from the file. */
export const withTailCache = (reader: LogReader, tail: TailCache): LogReader => ({
  ...reader,
  all: (after, limit, upTo) => tail.between(after, limit, upTo) ?? reader.all(after, limit, upTo),
  streamsBetween: (after, upTo) =>
    tail.between(after, -1, upTo)?.map(({ stream }) => stream) ?? reader.streamsBetween(after, upTo)
})
