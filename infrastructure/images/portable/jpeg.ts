import { decodeJpeg as decode } from "image-js"
import { type Grey, rgbaToGrey } from "../grey.ts"
import { jpegSegments, SOS } from "../headers/jpeg-segments.ts"
import { readOrientation, turned } from "./orientation.ts"

const APP1 = 0xe1
const ADOBE = 0xee

/**
 * Decodes a JPEG upright. The decoder gets the picture without its metadata: it would give up a good picture for a
 * broken date in it. Adobe's segment stays, it says what the colours mean.
 */
export const decodeJpeg = (bytes: Uint8Array): Grey => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept: Array<Uint8Array> = [bytes.subarray(0, 2)]
  let orientation = 1
  for (const { from, marker, start, to } of jpegSegments(view)) {
    if (marker === SOS) {
      kept.push(bytes.subarray(start))
      break
    }
    if (marker === APP1) orientation = readOrientation(bytes.subarray(from, to)) ?? orientation
    if (!isMetadata(marker)) kept.push(bytes.subarray(start, to))
  }
  const { height, width, ...image } = decode(joined(kept)).getRawImage()
  return turned(rgbaToGrey(image.data, width, height), orientation)
}

/** Application segments but JFIF's (0xE0) and Adobe's, and comments. */
const isMetadata = (marker: number): boolean =>
  marker === 0xfe || (marker >= APP1 && marker <= 0xef && marker !== ADOBE)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
