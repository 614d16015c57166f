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

/** FNV-1a over UTF-16 code units. */
const hash = (name: string, seed: number): number => {
  let sum = seed
  for (let at = 0; at < name.length; at++) sum = Math.imul(sum ^ name.charCodeAt(at), 0x01000193)
  return sum >>> 0
}

/** The bits of a name, by double hashing. */
const probesOf = (name: string): ReadonlyArray<number> => {
  const first = hash(name, 0x811c9dc5)
  const step = (hash(name, 0x9747b28c) | 1) >>> 0
  return Array.from({ length: PROBES }, (_, probe) => (first + probe * step) % LAYER_BITS)
}

const isSet = (bits: Uint8Array, bit: number): boolean => ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0

/** A filter that grows by a layer for every 262 144 names. */
export const makeStreamBloomFilter = (): StreamBloomFilter => {
  let last = new Uint8Array(LAYER_BITS / 8)
  const layers = [last]
  let namesInLast = 0

  const isKnown = (probes: ReadonlyArray<number>): boolean =>
    layers.some((bits) => probes.every((bit) => isSet(bits, bit)))

  return {
    mayExist: (name) => isKnown(probesOf(name)),
    add: (name) => {
      const probes = probesOf(name)
      if (isKnown(probes)) return
      if (namesInLast === LAYER_STREAMS) {
        last = new Uint8Array(LAYER_BITS / 8)
        layers.push(last)
        namesInLast = 0
      }
      namesInLast++
      for (const bit of probes) last[bit >>> 3] = (last[bit >>> 3] ?? 0) | (1 << (bit & 7))
    }
  }
}
