import type { Size } from "./size.ts"

const EXTENSION = 0x21
const FRAME = 0x2c

/**
 * The canvas of a GIF. Every frame must lie on it: decoders take the memory of a frame from the frame's own size,
 * which may be 65535 x 65535 on a canvas of one pixel.
 */
export const readGifHeader = (view: DataView): Size | undefined => {
  if (view.byteLength < 13) return undefined
  const canvas = { width: view.getUint16(6, true), height: view.getUint16(8, true), heldPerPixel: HELD_PER_PIXEL }
  let at = 13 + paletteBytes(view.getUint8(10))
  while (at < view.byteLength) {
    const kind = view.getUint8(at)
    if (kind === EXTENSION) {
      at = behindBlocks(view, at + 2)
    } else if (kind === FRAME && at + 10 < view.byteLength) {
      if (!liesOn(canvas, view, at)) return undefined
      at = behindBlocks(view, at + 10 + paletteBytes(view.getUint8(at + 9)) + 1)
    } else {
      break
    }
  }
  return canvas
}

/** The canvas in colour, which frames are laid on, and the frame at hand. */
const HELD_PER_PIXEL = 5

const paletteBytes = (flags: number): number => (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)

const liesOn = (canvas: Size, view: DataView, frame: number): boolean =>
  view.getUint16(frame + 1, true) + view.getUint16(frame + 5, true) <= canvas.width
  && view.getUint16(frame + 3, true) + view.getUint16(frame + 7, true) <= canvas.height

/** Behind a chain of blocks, each of them preceded by its length and the last one empty. */
const behindBlocks = (view: DataView, start: number): number => {
  let at = start
  while (at < view.byteLength) {
    const length = view.getUint8(at)
    if (length === 0) return at + 1
    at += length + 1
  }
  return at
}
