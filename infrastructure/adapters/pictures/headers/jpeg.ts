import type { ClaimedSize, PictureStructure } from "./claimed-size.ts"
import { partOf } from "./file-parts.ts"

/** Most segments that a decoder gets. Encoders write a few dozen: tables, the frame header, and up to 20 scans. */
const MAX_SEGMENTS = 1_000

/**
 * The size of a JPEG. A second frame header, or more components than any colour model has, is refused: decoders
 * allocate memory for each of them. A decoder gets the tables, the frame header, the scans up to the end of the image, and
 * what says how the colours are stored. It gets no metadata: libjpeg compares each segment of metadata with all others.
 */
export const readJpegHeader = (view: DataView): PictureStructure | undefined => {
  let frame: Frame | undefined
  let scans = 0
  let scannedSamples = 0
  const parts = [partOf(view, 0, 2)]
  for (const segment of jpegSegments(view)) {
    if (!isNeeded(view, segment)) continue
    if (parts.push(partOf(view, segment.start, segment.end)) > MAX_SEGMENTS) return undefined
    if (isFrameHeader(segment.marker)) {
      if (frame !== undefined) return undefined
      frame = readFrame(view, segment)
      if (frame === undefined) return undefined
    }
    if (segment.marker === SOS) {
      if (frame === undefined) return undefined
      scans++
      scannedSamples += frame.largestComponent * componentsOf(view, segment)
    }
  }
  return frame === undefined ? undefined : { ...claimedSize(frame, scans), scannedSamples, parts }
}

interface JpegSegment {
  /** The byte after 0xFF. */
  readonly marker: number
  /** The position of the marker. */
  readonly start: number
  /** First byte of the payload. */
  readonly from: number
  /** The position after the payload. */
  readonly to: number
  /** The position after the payload, or after the samples that follow it. */
  readonly end: number
}

const DHT = 0xc4
const DAC = 0xcc
const EOI = 0xd9
const SOS = 0xda
const DQT = 0xdb
const DNL = 0xdc
const DRI = 0xdd
const APP0 = 0xe0
const APP14 = 0xee

/** Frame headers of every coding process. 0xC4, 0xC8 and 0xCC have other meanings. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== DHT && marker !== 0xc8 && marker !== DAC

const NEEDED = new Set([DHT, DAC, EOI, SOS, DQT, DNL, DRI])

const isNeeded = (view: DataView, { from, marker, to }: JpegSegment): boolean =>
  isFrameHeader(marker) || NEEDED.has(marker) || (marker === APP0 && startsWith(view, from, to, "JFIF"))
  || (marker === APP14 && startsWith(view, from, to, "Adobe"))

const startsWith = (view: DataView, from: number, to: number, text: string): boolean =>
  String.fromCharCode(...partOf(view, from, Math.min(to, from + text.length))) === text

/**
 * The segments up to the end of the image, those between the scans of a progressive picture included. Stops at a
 * length that points beyond the file.
 */
function* jpegSegments(view: DataView): Generator<JpegSegment> {
  const bytes = partOf(view, 0, view.byteLength)
  let start = nextMarker(bytes, 2)
  while (start + 2 <= bytes.length) {
    const marker = view.getUint8(start + 1)
    const from = start + 4
    if (marker === EOI) return yield { marker, start, from: start + 2, to: start + 2, end: start + 2 }
    if (from > bytes.length) return
    const to = start + 2 + view.getUint16(start + 2)
    if (to < from || to > bytes.length) return
    const next = nextMarker(bytes, to)
    yield { marker, start, from, to, end: marker === SOS ? next : to }
    start = next
  }
}

/**
 * The position of the next marker of a segment; the length of the file when there is none. Decoders skip bytes that are no
 * marker, between segments and inside scans. This reader must skip the same bytes.
 */
const nextMarker = (bytes: Uint8Array, from: number): number => {
  // Native code finds the next 0xFF: a scan has a hundred bytes for each.
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    if (!isStandalone(bytes[at + 1] ?? 0)) return at
  }
  return bytes.length
}

/** Fill bytes, stuffed zero, TEM, restart markers and a repeated start of image have no length and no payload. */
const isStandalone = (marker: number): boolean =>
  marker === 0xff || marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const MAX_COMPONENTS = 4
const MAX_SAMPLING = 4
const PROGRESSIVE = new Set([0xc2, 0xc6, 0xca, 0xce])

/**
 * A decoder of a picture in several scans keeps two bytes of each sample until the last scan, plus some rows.
 * With `MAX_HELD_BYTES` this allows 20 million samples: 13 megapixels in the usual colour resolution.
 */
const HELD_BYTES_PER_SAMPLE = 2.4

interface Frame {
  readonly isProgressive: boolean
  readonly width: number
  readonly height: number
  /** Of all components together. */
  readonly samples: number
  /** Samples of the component that has the most. */
  readonly largestComponent: number
}

const claimedSize = (
  { height, isProgressive, samples, width }: Frame,
  scans: number
): Omit<ClaimedSize, "scannedSamples"> => {
  const isHeld = isProgressive || scans > 1
  return { width, height, sampleBytes: samples, heldBytes: isHeld ? HELD_BYTES_PER_SAMPLE * samples : 0 }
}

const readFrame = (view: DataView, { from, marker, to }: JpegSegment): Frame | undefined => {
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
  const components = sampling.map(({ across, down }) => 64 * across * down * unitsAcross * unitsDown)
  return {
    isProgressive: PROGRESSIVE.has(marker),
    width,
    height,
    samples: components.reduce((sum, component) => sum + component, 0),
    largestComponent: Math.max(...components)
  }
}

const isSampling = (factor: number): boolean => factor >= 1 && factor <= MAX_SAMPLING

/** How many components a scan codes. */
const componentsOf = (view: DataView, { from, to }: JpegSegment): number =>
  from < to ? Math.min(view.getUint8(from), MAX_COMPONENTS) : 0
