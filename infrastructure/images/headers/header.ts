import type { ImageFormat } from "../../../ports/slip-reader.ts"
import { readGifHeader } from "./gif.ts"
import { readJpegHeader } from "./jpeg.ts"
import { readPngHeader } from "./png.ts"
import type { Size } from "./size.ts"
import { readWebpHeader } from "./webp.ts"

/** The format by its first bytes; undefined for everything that is not on this list, SVG and TIFF included. */
export const formatOf = (bytes: Uint8Array): ImageFormat | undefined => {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "jpeg"
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "png"
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38, 0x37, 0x61])) return "gif"
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38, 0x39, 0x61])) return "gif"
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50])) {
    return "webp"
  }
  return undefined
}

/**
 * The size that a picture of this format claims, with every other size it claims further on (a second frame, a
 * nested bitstream) found to fit in; undefined when its structure is broken. Reads the file once, allocates nothing
 * that grows with it.
 */
export const sizeOf = (format: ImageFormat, bytes: Uint8Array): Size | undefined => {
  const size = readers[format](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size
}

const readers = { jpeg: readJpegHeader, png: readPngHeader, gif: readGifHeader, webp: readWebpHeader }

const startsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((byte, at) => bytes[at] === byte)
