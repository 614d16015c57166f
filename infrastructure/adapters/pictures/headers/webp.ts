import type { PictureStructure } from "./claimed-size.ts"
import { chunkName, partOf } from "./file-parts.ts"

interface Dimensions {
  readonly width: number
  readonly height: number
}

const RIFF = chunkName("RIFF")
const WEBP = chunkName("WEBP")
const VP8 = chunkName("VP8 ")
const VP8L = chunkName("VP8L")
const VP8X = chunkName("VP8X")
const ALPH = chunkName("ALPH")
const ANMF = chunkName("ANMF")

/** Bits of VP8X. */
const HAS_ALPHA = 0x10
const IS_ANIMATED = 0x02

/** Red, green, blue and alpha. */
const BYTES_PER_PIXEL = 4

/** The pixels of a picture that is decoded as a whole, and half as much for their conversion. */
const HELD_PER_PIXEL = 6

const RIFF_BYTES = 12
/** Type and length. */
const CHUNK_HEAD = 8
/** Bytes of a frame of an animation before its first chunk. */
const FRAME_FIELDS = 16

/**
 * The size of a WebP: that of the canvas of the extended format, or of its bitstream. A bitstream that is larger than the
 * canvas is refused. A decoder gets the first bitstream, with its alpha chunk, as a file without animation: libwebp
 * compares each frame with all others.
 */
export const readWebpHeader = (view: DataView): PictureStructure | undefined => {
  const picture = firstPicture(view)
  const size = picture === undefined ? undefined : bitstreamSize(view, picture.bitstream)
  if (picture === undefined || size === undefined) return undefined
  const { bitstream, canvas = { ...size, flags: 0 } } = picture
  const { flags, height, width } = canvas
  if (size.width > width || size.height > height) return undefined
  const alpha = bitstream.type === VP8 ? picture.alpha : undefined
  const isHeldWhole = bitstream.type === VP8L || alpha !== undefined || (flags & (HAS_ALPHA | IS_ANIMATED)) !== 0
  const pixels = width * height
  return {
    width,
    height,
    sampleBytes: BYTES_PER_PIXEL * pixels,
    heldBytes: isHeldWhole ? HELD_PER_PIXEL * pixels : 0,
    scannedSamples: 0,
    parts: asFile([
      ...alpha === undefined ? [] : [extendedHeader(size), wholeChunk(view, alpha)],
      wholeChunk(view, bitstream)
    ])
  }
}

interface Picture {
  /** That of the extended format. */
  readonly canvas: Dimensions & { readonly flags: number } | undefined
  readonly bitstream: WebpChunk
  readonly alpha: WebpChunk | undefined
}

/** The first picture of the file; of an animation, the first frame. */
const firstPicture = (view: DataView): Picture | undefined => {
  let canvas: Picture["canvas"]
  let alpha: WebpChunk | undefined
  for (const chunk of webpChunks(view, RIFF_BYTES, view.byteLength)) {
    const { from, to, type } = chunk
    if (type === VP8X) {
      if (canvas !== undefined || to - from < 10) return undefined
      const flags = view.getUint8(from)
      canvas = { width: 1 + uint24(view, from + 4), height: 1 + uint24(view, from + 7), flags }
    }
    if (type === ALPH) alpha ??= chunk
    if (isBitstream(chunk)) return { canvas, bitstream: chunk, alpha }
    if (type === ANMF) return firstFrame(view, chunk, canvas)
  }
  return undefined
}

const firstFrame = (view: DataView, { from, to }: WebpChunk, canvas: Picture["canvas"]): Picture | undefined => {
  let alpha: WebpChunk | undefined
  for (const chunk of webpChunks(view, from + FRAME_FIELDS, to)) {
    if (chunk.type === ALPH) alpha ??= chunk
    if (isBitstream(chunk)) return { canvas, bitstream: chunk, alpha }
  }
  return undefined
}

const isBitstream = ({ type }: WebpChunk): boolean => type === VP8 || type === VP8L

/** The size that a bitstream claims, undefined when it is cut off or invalid. */
const bitstreamSize = (view: DataView, { from, to, type }: WebpChunk): Dimensions | undefined => {
  if (type === VP8L) {
    if (to - from < 5 || view.getUint8(from) !== 0x2f) return undefined
    const bits = view.getUint32(from + 1, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (to - from < 10 || uint24(view, from + 3) !== 0x2a019d) return undefined
  return { width: view.getUint16(from + 6, true) & 0x3fff, height: view.getUint16(from + 8, true) & 0x3fff }
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

interface WebpChunk {
  /** `chunkName` of the type. */
  readonly type: number
  readonly from: number
  /** The position after the data; the end of the file when the chunk claims more. */
  readonly to: number
}

/** The chunks between two positions. */
function* webpChunks(view: DataView, start: number, end: number): Generator<WebpChunk> {
  let at = start
  while (at + CHUNK_HEAD <= end) {
    const length = view.getUint32(at + 4, true)
    const from = at + CHUNK_HEAD
    yield { type: view.getUint32(at), from, to: Math.min(from + length, end) }
    // Chunks start at even positions.
    at = from + length + (length & 1)
  }
}

/** The chunk with its header and its padding. */
const wholeChunk = (view: DataView, { from, to }: WebpChunk): Uint8Array =>
  partOf(view, from - CHUNK_HEAD, to + ((to - from) & 1))

/** The header of the extended format for a still picture with alpha. */
const extendedHeader = ({ height, width }: Dimensions): Uint8Array => {
  const chunk = new DataView(new ArrayBuffer(CHUNK_HEAD + 10))
  chunk.setUint32(0, VP8X)
  chunk.setUint32(4, 10, true)
  chunk.setUint32(8, HAS_ALPHA, true)
  // The sides have 24 bits each; one of a bitstream has 14.
  chunk.setUint16(12, width - 1, true)
  chunk.setUint16(15, height - 1, true)
  return new Uint8Array(chunk.buffer)
}

const asFile = (chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const head = new DataView(new ArrayBuffer(RIFF_BYTES))
  head.setUint32(0, RIFF)
  head.setUint32(4, chunks.reduce((length, chunk) => length + chunk.length, 4), true)
  head.setUint32(8, WEBP)
  return [new Uint8Array(head.buffer), ...chunks]
}
