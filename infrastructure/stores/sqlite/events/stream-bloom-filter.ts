import type { LogReader } from "./log-reader.ts"

/**
 * Remembers which streams there are, so that asking for one that does not exist, as every first verification of a slip
 * does, costs no look into the file. A Bloom filter: it never forgets a stream, and takes about one in a thousand
 * unknown names for known; for those the file is asked.
 */
export interface KnownStreams {
  readonly add: (name: string) => void
  readonly mayExist: (name: string) => boolean
}

/**
 * Tells whether a stream may exist at the head of the log, as `currentHead` says it; false is certain. Begins with the
 * names in the file and goes on with those of whatever is committed, by whomever.
 */
export const makeMayExist = (reader: LogReader, currentHead: () => number): (stream: string) => boolean => {
  const known = makeKnownStreams()
  let seen = currentHead()
  for (const name of reader.streams()) known.add(name)
  return (stream) => {
    const head = currentHead()
    if (head > seen) {
      for (const name of reader.streamsBetween(seen, head)) known.add(name)
      seen = head
    }
    return known.mayExist(stream)
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

/** The bits of a name: double hashing, as good as independent hashes for this. */
const probesOf = (name: string): ReadonlyArray<number> => {
  const first = hash(name, 0x811c9dc5)
  const step = (hash(name, 0x9747b28c) | 1) >>> 0
  return Array.from({ length: PROBES }, (_, probe) => (first + probe * step) % LAYER_BITS)
}

const isSet = (bits: Uint8Array, bit: number): boolean => ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0

export const makeKnownStreams = (): KnownStreams => {
  let last = new Uint8Array(LAYER_BITS / 8)
  const layers = [last]
  let inLast = 0

  const isKnown = (probes: ReadonlyArray<number>): boolean =>
    layers.some((bits) => probes.every((bit) => isSet(bits, bit)))

  return {
    mayExist: (name) => isKnown(probesOf(name)),
    add: (name) => {
      const probes = probesOf(name)
      if (isKnown(probes)) return
      if (inLast === LAYER_STREAMS) {
        last = new Uint8Array(LAYER_BITS / 8)
        layers.push(last)
        inLast = 0
      }
      inLast++
      for (const bit of probes) last[bit >>> 3] = (last[bit >>> 3] ?? 0) | (1 << (bit & 7))
    }
  }
}
