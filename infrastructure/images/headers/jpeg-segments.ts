/** A marker of a JPEG with the place of what follows its length field. */
export interface JpegSegment {
  /** The byte behind 0xFF. */
  readonly marker: number
  /** Where its 0xFF stands. */
  readonly start: number
  /** First byte of the payload. */
  readonly from: number
  /** Behind the last byte of the payload. */
  readonly to: number
}

export const SOS = 0xda
const EOI = 0xd9

/** Frame headers of every coding process; 0xC4, 0xC8 and 0xCC are other things. */
export const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/**
 * The segments from the start of image to its end, those between the scans of a progressive picture included. Ends
 * early where a length points beyond the file; whatever follows the end of image is somebody else's.
 */
export function* jpegSegments(view: DataView): Generator<JpegSegment> {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  let at = 2
  while (true) {
    // Between segments, and inside a scan, anything that is no marker is passed over, as decoders do.
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
    yield { marker, start: at, from: at + 4, to }
    at = to
  }
}

/** Stuffed zero, TEM, restart markers and a repeated start of image: nothing follows that belongs to them. */
const isStandalone = (marker: number): boolean =>
  marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
