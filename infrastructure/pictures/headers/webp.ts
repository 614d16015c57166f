import type { ClaimedSize } from "./claimed-size.ts"

interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Red, green, blue and alpha. */
const BYTES_PER_PIXEL = 4

/** The pixels of a picture that is decoded as a whole, and half as much for their conversion. */
const HELD_PER_PIXEL = 6

/**
 * The size of a WebP: that of its bitstream, or of the canvas of the extended format. A bitstream that is larger
 * than the canvas is refused, also one in a frame of an animation.
 */
export const readWebpHeader = (view: DataView): ClaimedSize | undefined => {
  let canvas: Dimensions | undefined
  let isHeldWhole = false
  for (const chunk of webpChunks(view)) {
    const size = chunk.type === "ANMF" ? frameSize(view, chunk) : chunkSize(view, chunk)
    if (size === "none") continue
    if (size === undefined) return undefined
    if (chunk.type === "VP8X" && canvas !== undefined) return undefined
    canvas ??= size
    isHeldWhole ||= isDecodedAsWhole(view, chunk)
    if (size.width > canvas.width || size.height > canvas.height) return undefined
  }
  if (canvas === undefined) return undefined
  const pixels = canvas.width * canvas.height
  return { ...canvas, sampleBytes: BYTES_PER_PIXEL * pixels, heldBytes: isHeldWhole ? HELD_PER_PIXEL * pixels : 0 }
}

/** Lossless, animated or transparent pictures. */
const isDecodedAsWhole = (view: DataView, { from, type }: WebpChunk): boolean =>
  type === "VP8L" || type === "ANMF" || (type === "VP8X" && (view.getUint8(from) & 0x12) !== 0)

/** The size that a chunk claims, `none` when the chunk has no size, undefined when it is cut off or invalid. */
const chunkSize = (view: DataView, { from, to, type }: WebpChunk): Dimensions | "none" | undefined => {
  if (type === "VP8X") {
    return to - from < 10 ? undefined : { width: 1 + uint24(view, from + 4), height: 1 + uint24(view, from + 7) }
  }
  if (type === "VP8L") {
    if (to - from < 5 || view.getUint8(from) !== 0x2f) return undefined
    const bits = view.getUint32(from + 1, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (type === "VP8 ") {
    if (to - from < 10 || uint24(view, from + 3) !== 0x2a019d) return undefined
    return { width: view.getUint16(from + 6, true) & 0x3fff, height: view.getUint16(from + 8, true) & 0x3fff }
  }
  return "none"
}

/** The larger of the sizes that the frame and the bitstream in it claim. */
const frameSize = (view: DataView, { from, to }: WebpChunk): Dimensions | undefined => {
  if (to - from < FRAME_FIELDS) return undefined
  let width = 1 + uint24(view, from + 6)
  let height = 1 + uint24(view, from + 9)
  for (const chunk of webpChunks(view, from + FRAME_FIELDS, to)) {
    const size = chunkSize(view, chunk)
    if (size === undefined) return undefined
    if (size === "none") continue
    width = Math.max(width, size.width)
    height = Math.max(height, size.height)
  }
  return { width, height }
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

export interface WebpChunk {
  readonly type: string
  readonly from: number
  /** The position after the data; the end of the file when the chunk claims more. */
  readonly to: number
}

/** Bytes of a frame of an animation before its first chunk. */
export const FRAME_FIELDS = 16

/** The chunks between two positions: by default those of the file, after the RIFF header. */
export function* webpChunks(view: DataView, start = 12, end = view.byteLength): Generator<WebpChunk> {
  let at = start
  while (at + 8 <= end) {
    const type = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
    const length = view.getUint32(at + 4, true)
    yield { type, from: at + 8, to: Math.min(at + 8 + length, end) }
    // Chunks start at even positions.
    at += 8 + length + (length & 1)
  }
}
