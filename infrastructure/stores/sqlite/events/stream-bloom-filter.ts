import type { LogReader } from "./log-reader.ts"

/**
 * The names of all streams as a Bloom filter, so that reading a stream that does not exist does not read the
 * file. Every first verification of a slip reads such a stream. About one unknown name in a thousand counts as known.
 */
export interface StreamBloomFilter {
  readonly add: (name: string) => void
  readonly mayExist: (name: string) => boolean
}

export interface KnownStreams {
  /** Whether a stream may exist at the head of the log; false is certain. True for every stream until all names are read. */
  readonly mayExist: (stream: string) => boolean
  /** Reads at most `limit` names of the file. False when all are read. */
  readonly readNames: (limit: number) => boolean
}

/** Adds the names of later commits, also of other processes, up to the head of the log, which `currentHead` returns. */
export const makeKnownStreams = (
  reader: Pick<LogReader, "streams" | "streamsBetween">,
  currentHead: () => number
): KnownStreams => {
  const filter = makeStreamBloomFilter()
  let seen = currentHead()
  let lastRead: number | undefined = 0
  return {
    mayExist: (stream) => {
      if (lastRead !== undefined) return true
      const head = currentHead()
      if (head > seen) {
        for (const name of reader.streamsBetween(seen, head)) filter.add(name)
        seen = head
      }
      return filter.mayExist(stream)
    },
    readNames: (limit) => {
      if (lastRead === undefined) return false
      const { last, names } = reader.streams(lastRead, limit)
      for (const name of names) filter.add(name)
      lastRead = last
      return lastRead !== undefined
    }
  }
}

const LAYER_STREAMS = 1 << 18
const LAYER_BITS = LAYER_STREAMS * 16
const PROBES = 6

/** A filter that grows by a layer for every 262 144 names. A large log has millions of names, so nothing is allocated. */
export const makeStreamBloomFilter = (): StreamBloomFilter => {
  let last = new Uint8Array(LAYER_BITS / 8)
  const layers = [last]
  let namesInLast = 0
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
  const bitOf = (probe: number): number => (first + probe * step) % LAYER_BITS

  const isIn = (bits: Uint8Array): boolean => {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(probe)
      if (((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }

  return {
    mayExist: (name) => {
      hash(name)
      return layers.some(isIn)
    },
    add: (name) => {
      hash(name)
      if (layers.some(isIn)) return
      if (namesInLast === LAYER_STREAMS) {
        last = new Uint8Array(LAYER_BITS / 8)
        layers.push(last)
        namesInLast = 0
      }
      namesInLast++
      for (let probe = 0; probe < PROBES; probe++) {
        const bit = bitOf(probe)
        last[bit >>> 3] = (last[bit >>> 3] ?? 0) | (1 << (bit & 7))
      }
    }
  }
}
