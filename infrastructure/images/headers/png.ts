import type { Size } from "./size.ts"
import { pngChunks } from "./png-chunks.ts"

/** The size of a PNG: its first chunk is IHDR, and no other one says something else later. */
export const readPngHeader = (view: DataView): Size | undefined => {
  let size: Size | undefined
  for (const { type, from, to } of pngChunks(view)) {
    if ((type === "IHDR") !== (size === undefined)) return undefined
    if (type === "IHDR") {
      if (to - from !== 13) return undefined
      size = { width: view.getUint32(from), height: view.getUint32(from + 4), ...heldOf(view, from) }
    }
    if (type === "IDAT") return size
  }
  // A header alone still says how large the picture would be.
  return size
}

/** An interlaced picture is put together out of seven, and the whole of it stands beside what is being unpacked. */
const heldOf = (view: DataView, header: number): Pick<Size, "heldPerPixel"> => {
  const isInterlaced = view.getUint8(header + 12) !== 0
  const channels = CHANNELS[view.getUint8(header + 9)] ?? 4
  return isInterlaced ? { heldPerPixel: 1.5 * channels * view.getUint8(header + 8) / 8 } : {}
}

/** By the colour type: grey, colour, palette, grey and colour with alpha. A palette is unpacked to colours. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 }
