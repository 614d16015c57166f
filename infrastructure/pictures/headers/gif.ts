import type { ClaimedSize } from "./claimed-size.ts"

const EXTENSION = 0x21
const FRAME = 0x2c

/** The canvas in colour and the current frame. */
const BYTES_PER_PIXEL = 5

/**
 * The canvas of a GIF. Every frame must lie inside it: decoders allocate a frame by its own size, which may be
 * 65535 x 65535 on a canvas of one pixel.
 */
export const readGifHeader = (view: DataView): ClaimedSize | undefined => {
  if (view.byteLength < 13) return undefined
  const width = view.getUint16(6, true)
  const height = view.getUint16(8, true)
  let at = 13 + paletteBytes(view.getUint8(10))
  while (at < view.byteLength) {
    const kind = view.getUint8(at)
    if (kind === EXTENSION) {
      at = skipBlocks(view, at + 2)
    } else if (kind === FRAME && at + 10 < view.byteLength) {
      const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true)
      const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true)
      if (right > width || bottom > height) return undefined
      at = skipBlocks(view, at + 10 + paletteBytes(view.getUint8(at + 9)) + 1)
    } else {
      break
    }
  }
  const bytes = BYTES_PER_PIXEL * width * height
  return { width, height, sampleBytes: bytes, heldBytes: bytes }
}

const paletteBytes = (flags: number): number => (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)

/** The position after a chain of blocks. Each block starts with its length; the last block is empty. */
const skipBlocks = (view: DataView, start: number): number => {
  let at = start
  while (at < view.byteLength) {
    const length = view.getUint8(at)
    if (length === 0) return at + 1
    at += length + 1
  }
  return at
}
