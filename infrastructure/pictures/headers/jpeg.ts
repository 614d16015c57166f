import type { ClaimedSize } from "./claimed-size.ts"

/**
 * The size of a JPEG. A second frame header, or more components than any colour model has, is refused: decoders
 * allocate memory for each of them.
 */
export const readJpegHeader = (view: DataView): ClaimedSize | undefined => {
  let size: ClaimedSize | undefined
  for (const segment of jpegSegments(view)) {
    if (!isFrameHeader(segment.marker)) continue
    if (size !== undefined) return undefined
    size = readFrame(view, segment)
    if (size === undefined) return undefined
  }
  return size
}

interface JpegSegment {
  /** The byte after 0xFF. */
  readonly marker: number
  /** First byte of the payload. */
  readonly from: number
  /** The position after the payload. */
  readonly to: number
}

const EOI = 0xd9

/** Frame headers of every coding process. 0xC4, 0xC8 and 0xCC have other meanings. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/**
 * The segments up to the end of the image, those between the scans of a progressive picture included. Stops at a
 * length that points beyond the file.
 */
function* jpegSegments(view: DataView): Generator<JpegSegment> {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  let at = 2
  while (true) {
    // Decoders skip bytes that are no marker, between segments and inside scans. This reader must skip the same bytes.
    at = bytes.indexOf(0xff, at)
    if (at < 0 || at + 3 >= bytes.length) return
    const marker = view.getUint8(at + 1)
    if (marker === 0xff || isStandalone(marker)) {
      at += 1
      continue
    }
    if (marker === EOI) return
    const to = at + 2 + view.getUint16(at + 2)
    if (to < at + 4 || to > view.byteLength) return
    yield { marker, from: at + 4, to }
    at = to
  }
}

/** Stuffed zero, TEM, restart markers and a repeated start of image have no length and no payload. */
const isStandalone = (marker: number): boolean =>
  marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const MAX_COMPONENTS = 4
const MAX_SAMPLING = 4
const PROGRESSIVE = new Set([0xc2, 0xc6, 0xca, 0xce])

/**
 * A decoder of a progressive picture keeps two bytes of each sample until the last scan, plus some rows.
 * With `MAX_HELD_BYTES` this allows 20 million samples: 13 megapixels in the usual colour resolution.
 */
const HELD_BYTES_PER_SAMPLE = 2.4

const readFrame = (view: DataView, { from, marker, to }: JpegSegment): ClaimedSize | undefined => {
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
  const unitsAcross = Math.ceil(width / (8 * Math.max(...sampling.map(({ across }) => across))))
  const unitsDown = Math.ceil(height / (8 * Math.max(...sampling.map(({ down }) => down))))
  const blocksPerUnit = sampling.reduce((sum, { across, down }) => sum + across * down, 0)
  const samples = 64 * blocksPerUnit * unitsAcross * unitsDown
  const heldBytes = PROGRESSIVE.has(marker) ? HELD_BYTES_PER_SAMPLE * samples : 0
  return { width, height, sampleBytes: samples, heldBytes }
}

const isSampling = (factor: number): boolean => factor >= 1 && factor <= MAX_SAMPLING
