import type { Size } from "./size.ts"
import { pngChunks } from "./png-chunks.ts"

/** The size of a PNG: its first chunk is IHDR, and no other one says something else later. */
export const readPngHeader = (view: DataView): Size | undefined => {
  let size: Size | undefined
  for (const { type, from, to } of pngChunks(view)) {
    if ((type === "IHDR") !== (size === undefined)) return undefined
    if (type === "IHDR") {
      if (to - from !== 13) return undefined
      size = { width: view.getUint32(from), height: view.getUint32(from + 4) }
    }
    if (type === "IDAT") return size
  }
  // A header alone still says how large the picture would be.
  return size
}
