import type { LogReader } from "./log-reader.ts"

/**
 * The names of all streams as a Bloom filter, so that reading a stream that does not exist does not read the
 * file. Every first verification of a slip reads such a stream. About one unknown name in a thousand counts as known, and
 * one in two hundred after 10 000 000 names.
 */
export interface StreamBloomFilter {
  readonly add: (name: string) => void
  readonly mayExist: (name: string) => boolean
  /** The layers of the filter. They move to the thread that takes them. */
  readonly content: () => FilterContent
}

export interface FilterContent {
  /** The oldest first. */
  readonly layers: ReadonlyArray<Uint8Array<ArrayBuffer>>
  /** Names for which the newest layer has room. */
  readonly room: number
}

export interface KnownStreams {
  /** Whether a stream may exist at the head of the log; false is certain. True for every stream until all names are read. */
  readonly mayExist: (stream: string) => boolean
  /** Adds the stream of an append of this process, whose last event is at `position`. Its name need not be read then. */
  readonly appended: (stream: string, events: number, position: number) => void
  /** Reads at most `limit` names, or the names of so many later events. False when all are read. */
  readonly readNames: (limit: number) => boolean
  /** Takes all names of the file that another thread has read meanwhile. Then only those of later events are missing. */
  readonly takeNames: (names: FilterContent) => void
}

/** Adds the names of later commits, also of other processes, up to the head of the log, which `currentHead` returns. */
export const makeKnownStreams = (
  reader: Pick<LogReader, "streams" | "streamsBetween">,
  currentHead: () => number
): KnownStreams => {
  let filter = makeStreamBloomFilter()
  let seen = currentHead()
  /** The last name that was read; undefined after the last one of the file. */
  let lastName: string | undefined = ""
  let isComplete = false

  const addUpTo = (head: number) => {
    if (head <= seen) return
    for (const name of reader.streamsBetween(seen, head)) filter.add(name)
    seen = head
  }

  return {
    mayExist: (stream) => {
      if (!isComplete) return true
      addUpTo(currentHead())
      return filter.mayExist(stream)
    },
    appended: (stream, events, position) => {
      // Otherwise an event of another process is missing, and `addUpTo` reads the names from there on.
      if (!isComplete || position - events !== seen) return
      filter.add(stream)
      seen = position
    },
    readNames: (limit) => {
      if (lastName !== undefined) {
        const names = reader.streams(lastName, limit)
        for (const name of names) filter.add(name)
        lastName = names.length < limit ? undefined : names.at(-1)
        if (lastName !== undefined) return true
      }
      const head = currentHead()
      addUpTo(Math.min(head, seen + limit))
      isComplete = seen === head
      return !isComplete
    },
    takeNames: (names) => {
      filter = makeStreamBloomFilter(names)
      lastName = undefined
    }
  }
}

const FIRST_LAYER_NAMES = 1 << 18
const BITS_PER_NAME = 16
const PROBES = 6

/**
 * A filter that grows by layers, each twice the size of the one before: to look for a name of 10 000 000 takes six. A
 * large log has millions of names, so nothing is allocated for a name.
 */
export const makeStreamBloomFilter = (from: FilterContent = emptyFilter()): StreamBloomFilter => {
  let { room } = from
  const layers = [...from.layers]
  let newest = layers.at(-1) ?? makeLayer(0)
  let [first, step] = [0, 0]

  /** Two hashes of a name, by FNV-1a over UTF-16 code units. Its bits follow from them by double hashing. */
  const hash = (name: string): void => {
    let [one, other] = [0x811c9dc5, 0x9747b28c]
    for (let at = 0; at < name.length; at++) {
      const unit = name.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x01000193)
    }
    first = one >>> 0
    step = (other | 1) >>> 0
  }

  const bitOf = (layer: Uint8Array, probe: number): number => (first + probe * step) % (layer.length * 8)

  const isIn = (layer: Uint8Array): boolean => {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(layer, probe)
      if (((layer[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
  const isInAny = (): boolean => {
    for (const layer of layers) if (isIn(layer)) return true
    return false
  }

  return {
    mayExist: (name) => {
      hash(name)
      return isInAny()
    },
    add: (name) => {
      hash(name)
      if (isInAny()) return
      if (room === 0) {
        room = FIRST_LAYER_NAMES << layers.length
        newest = makeLayer(room)
        layers.push(newest)
      }
      room--
      for (let probe = 0; probe < PROBES; probe++) {
        const bit = bitOf(newest, probe)
        newest[bit >>> 3] = (newest[bit >>> 3] ?? 0) | (1 << (bit & 7))
      }
    },
    content: () => ({ layers, room })
  }
}

const makeLayer = (names: number) => new Uint8Array(names * BITS_PER_NAME / 8)

const emptyFilter = (): FilterContent => ({ layers: [makeLayer(FIRST_LAYER_NAMES)], room: FIRST_LAYER_NAMES })
