import type { ClaimedSize } from "./claimed-size.ts"

/** The size of a PNG. IHDR must be the first chunk, and there must be no second IHDR before the samples. */
export const readPngHeader = (view: DataView): ClaimedSize | undefined => {
  let size: ClaimedSize | undefined
  for (const { type, from, to } of pngChunks(view)) {
    if ((type === "IHDR") !== (size === undefined)) return undefined
    if (type === "IHDR") {
      if (to - from !== 13) return undefined
      size = readSize(view, from)
    }
    if (type === "IDAT") break
  }
  return size
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
  return { width, height, sampleBytes, heldBytes: isInterlaced ? HELD_PER_INTERLACED_BYTE * sampleBytes : 0 }
}

interface PngChunk {
  readonly type: string
  readonly from: number
  readonly to: number
}

/** The chunks after the signature up to IEND, or up to the first chunk that reaches beyond the file. */
export function* pngChunks(view: DataView): Generator<PngChunk> {
  let at = 8
  while (at + 12 <= view.byteLength) {
    const from = at + 8
    const to = from + view.getUint32(at)
    if (to + 4 > view.byteLength) return
    const type = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at + 4, 4))
    yield { type, from, to }
    if (type === "IEND") return
    at = to + 4
  }
}
