import type { Size } from "./size.ts"
import { isFrameHeader, type JpegSegment, jpegSegments } from "./jpeg-segments.ts"

/**
 * The size of a JPEG. Exactly one frame: decoders reserve memory at every frame header they meet, so that a second
 * one, or one with more components than any colour model has, would ask for far more than the first one says.
 */
export const readJpegHeader = (view: DataView): Size | undefined => {
  let size: Size | undefined
  for (const segment of jpegSegments(view)) {
    if (!isFrameHeader(segment.marker)) continue
    if (size !== undefined) return undefined
    size = readFrame(view, segment)
    if (size === undefined) return undefined
  }
  return size
}

const MAX_COMPONENTS = 4
const MAX_SAMPLING = 4
const PROGRESSIVE = new Set([0xc2, 0xc6, 0xca, 0xce])

const readFrame = (view: DataView, { from, marker, to }: JpegSegment): Size | undefined => {
  if (to - from < 6) return undefined
  const count = view.getUint8(from + 5)
  if (count < 1 || count > MAX_COMPONENTS || to - from < 6 + 3 * count) return undefined
  const sampling = Array.from({ length: count }, (_, index) => {
    const factors = view.getUint8(from + 7 + 3 * index)
    return { across: factors >> 4, down: factors & 15 }
  })
  if (!sampling.every(({ across, down }) => isSampling(across) && isSampling(down))) return undefined

  const height = view.getUint16(from + 1)
  const width = view.getUint16(from + 3)
  const across = Math.ceil(width / (8 * Math.max(...sampling.map((one) => one.across))))
  const down = Math.ceil(height / (8 * Math.max(...sampling.map((one) => one.down))))
  const blocks = sampling.reduce((sum, one) => sum + one.across * one.down, 0) * across * down
  return { width, height, jpeg: { samples: 64 * blocks, isProgressive: PROGRESSIVE.has(marker) } }
}

const isSampling = (factor: number): boolean => factor >= 1 && factor <= MAX_SAMPLING
