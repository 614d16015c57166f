import type { PictureStructure } from "./claimed-size.ts"
import { partOf } from "./file-parts.ts"
import { endOfPixels } from "./lzw.ts"

const EXTENSION = 0x21
const GRAPHIC_CONTROL = 0xf9
const FRAME = 0x2c

/** Without the palette. */
const HEADER_BYTES = 13
/** Without the palette. */
const FRAME_HEADER_BYTES = 10
const CONTROL_BYTES = 8

/** The canvas in colour and the current frame. */
const BYTES_PER_PIXEL = 5

/** The end of a chain of blocks, and the end of the file. */
const END = Uint8Array.of(0, 0x3b)

/**
 * The canvas of a GIF. The first frame must lie inside it: decoders allocate a frame by its own size, which may be
 * 65535 x 65535 on a canvas of one pixel. A decoder gets the header, the transparency of the first frame, and the first frame
 * up to its last pixel.
 */
export const readGifHeader = (view: DataView): PictureStructure | undefined => {
  if (view.byteLength < HEADER_BYTES) return undefined
  const width = view.getUint16(6, true)
  const height = view.getUint16(8, true)
  const blocks = HEADER_BYTES + paletteBytes(view.getUint8(10))
  const parts = [partOf(view, 0, blocks)]
  const frame = firstFrame(view, blocks)
  if (frame !== undefined) {
    const { at, control } = frame
    const frameWidth = view.getUint16(at + 5, true)
    const frameHeight = view.getUint16(at + 7, true)
    const right = view.getUint16(at + 1, true) + frameWidth
    const bottom = view.getUint16(at + 3, true) + frameHeight
    if (right > width || bottom > height) return undefined
    const data = at + FRAME_HEADER_BYTES + paletteBytes(view.getUint8(at + 9))
    if (control !== undefined) parts.push(control)
    const end = endOfPixels(view, data, frameWidth * frameHeight)
    parts.push(...end === undefined ? [partOf(view, at, view.byteLength)] : [partOf(view, at, end), END])
  }
  const bytes = BYTES_PER_PIXEL * width * height
  return { width, height, sampleBytes: bytes, heldBytes: bytes, scannedSamples: 0, parts }
}

interface FirstFrame {
  /** Where its header begins. */
  readonly at: number
  /** The extension that says which colour is transparent. */
  readonly control: Uint8Array | undefined
}

/** Skips the extensions before the first frame. Returns undefined when the file has no whole frame header. */
const firstFrame = (view: DataView, start: number): FirstFrame | undefined => {
  let at = start
  let control: Uint8Array | undefined
  while (at + FRAME_HEADER_BYTES <= view.byteLength) {
    const kind = view.getUint8(at)
    if (kind === FRAME) return { at, control }
    if (kind !== EXTENSION) return undefined
    const next = skipBlocks(view, at + 2)
    const isControl = view.getUint8(at + 1) === GRAPHIC_CONTROL && next - at === CONTROL_BYTES
    if (isControl) control = partOf(view, at, next)
    at = next
  }
  return undefined
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
