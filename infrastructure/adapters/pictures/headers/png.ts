import { crc32 } from "node:zlib"
import type { ClaimedSize, PictureStructure } from "./claimed-size.ts"
import { chunkName, partOf } from "./file-parts.ts"

const SIGNATURE_BYTES = 8
const IHDR = chunkName("IHDR")
const PLTE = chunkName("PLTE")
const TRNS = chunkName("tRNS")
const IEND = chunkName("IEND")
/** The samples. */
export const IDAT = chunkName("IDAT")

/** Most chunks of samples: an encoder may write one for each row, and `MAX_IMAGE_SIDE` is the most rows. */
const MAX_SAMPLE_CHUNKS = 16_384

/** An empty IEND chunk. */
const END = Uint8Array.of(0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82)

/**
 * The size of a PNG. IHDR must be the first chunk, and there must be no second IHDR before the end of the samples. A decoder
 * gets the first palette, the first transparency, and the samples in one chunk: image-js copies 32 KB for each chunk. The
 * samples end at the first chunk of another type.
 */
export const readPngHeader = (view: DataView): PictureStructure | undefined => {
  let size: ClaimedSize | undefined
  const parts = [partOf(view, 0, SIGNATURE_BYTES)]
  const kept = new Set<number>()
  const samples: Array<PngChunk> = []
  let isComplete = false
  for (const chunk of pngChunks(view)) {
    const { from, next, to, type } = chunk
    if ((type === IHDR) !== (size === undefined)) return undefined
    if (type === IHDR) {
      if (to - from !== 13) return undefined
      size = readSize(view, from)
    }
    isComplete = type === IEND || (samples.length > 0 && type !== IDAT)
    if (isComplete) break
    if (type === IDAT && samples.push(chunk) > MAX_SAMPLE_CHUNKS) return undefined
    if ((type === IHDR || type === PLTE || type === TRNS) && !kept.has(type)) {
      kept.add(type)
      parts.push(partOf(view, from - CHUNK_HEAD, next))
    }
  }
  if (size === undefined) return undefined
  return { ...size, parts: [...parts, ...joinSamples(view, samples), ...isComplete ? [END] : []] }
}

/** One chunk of all samples. When they are cut off, so is the chunk. */
const joinSamples = (view: DataView, chunks: ReadonlyArray<PngChunk>): ReadonlyArray<Uint8Array> => {
  if (chunks.length === 0) return []
  const claimed = chunks.reduce((length, { from, next }) => length + next - CHECKSUM_BYTES - from, 0)
  const head = new DataView(new ArrayBuffer(CHUNK_HEAD))
  head.setUint32(0, Math.min(claimed, MAX_CHUNK_LENGTH))
  head.setUint32(4, IDAT)
  const data = chunks.map(({ from, to }) => partOf(view, from, to))
  const isCut = chunks.some(({ next }) => next > view.byteLength)
  const checksum = new DataView(new ArrayBuffer(isCut ? 0 : CHECKSUM_BYTES))
  if (!isCut) checksum.setUint32(0, data.reduce((sum, part) => crc32(part, sum), crc32("IDAT")))
  return [new Uint8Array(head.buffer), ...data, new Uint8Array(checksum.buffer)]
}

/** Channels by colour type: grey, colour, palette (decoded to colour), grey and colour with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 }

/** A decoder of an interlaced picture holds the picture and the pass that it unpacks. */
const HELD_PER_INTERLACED_BYTE = 1.5

const readSize = (view: DataView, ihdr: number): ClaimedSize => {
  const width = view.getUint32(ihdr)
  const height = view.getUint32(ihdr + 4)
  const bytesPerPixel = (CHANNELS[view.getUint8(ihdr + 9)] ?? 4) * view.getUint8(ihdr + 8) / 8
  const sampleBytes = width * height * bytesPerPixel
  const isInterlaced = view.getUint8(ihdr + 12) !== 0
  const heldBytes = isInterlaced ? HELD_PER_INTERLACED_BYTE * sampleBytes : 0
  return { width, height, sampleBytes, heldBytes, scannedSamples: 0 }
}

interface PngChunk {
  /** `chunkName` of the type. */
  readonly type: number
  /** First byte of the data. */
  readonly from: number
  /** The position after the data; the end of the file when the chunk claims more. */
  readonly to: number
  /** The position of the next chunk; beyond the file when the chunk claims more. */
  readonly next: number
}

/** Length and type. */
const CHUNK_HEAD = 8
const CHECKSUM_BYTES = 4
/** A chunk that claims more is invalid. */
const MAX_CHUNK_LENGTH = 0x7fff_ffff

/** The chunks after the signature up to IEND. The last one may be cut off. */
export function* pngChunks(view: DataView): Generator<PngChunk> {
  let at = SIGNATURE_BYTES
  while (at + CHUNK_HEAD <= view.byteLength) {
    const from = at + CHUNK_HEAD
    const end = from + view.getUint32(at)
    const type = view.getUint32(at + 4)
    yield { type, from, to: Math.min(end, view.byteLength), next: end + CHECKSUM_BYTES }
    if (type === IEND) return
    at = end + CHECKSUM_BYTES
  }
}
