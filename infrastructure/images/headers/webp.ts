import type { Size } from "./size.ts"
import { FRAME_FIELDS, type WebpChunk, webpChunks } from "./webp-chunks.ts"

/**
 * The size of a WebP: that of its bitstream, or of the canvas of the extended format. No bitstream, a frame of an
 * animation included, may be larger than the canvas.
 */
export const readWebpHeader = (view: DataView): Size | undefined => {
  let canvas: Size | undefined
  let isWhole = false
  for (const chunk of webpChunks(view)) {
    const size = chunk.type === "ANMF" ? frameSize(view, chunk) : chunkSize(view, chunk)
    if (size === "none") continue
    if (size === undefined) return undefined
    if (chunk.type === "VP8X" && canvas !== undefined) return undefined
    canvas ??= size
    if (isHeldWhole(view, chunk)) isWhole = true
    if (size.width > canvas.width || size.height > canvas.height) return undefined
  }
  return canvas === undefined || !isWhole ? canvas : { ...canvas, heldPerPixel: HELD_PER_PIXEL }
}

/** Red, green, blue and transparency, and half as much again for what is made of them while they are held. */
const HELD_PER_PIXEL = 6

/** Without loss, with transparency, or moving: decoded to colours as a whole. */
const isHeldWhole = (view: DataView, { from, type }: WebpChunk): boolean =>
  type === "VP8L" || type === "ANMF" || (type === "VP8X" && (view.getUint8(from) & 0x12) !== 0)

/** The size that a chunk claims, `none` when it is not its business, undefined when it is cut off or wrong. */
const chunkSize = (view: DataView, { type, from, to }: WebpChunk): Size | "none" | undefined => {
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

/** The larger of what the frame claims and what the bitstream in it claims. */
const frameSize = (view: DataView, { from, to }: WebpChunk): Size | undefined => {
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
