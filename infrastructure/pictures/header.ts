import { Result } from "effect"
import { type ImageFormat, MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from "../../ports/slip-reader.ts"
import type { ClaimedSize } from "./headers/claimed-size.ts"
import { readGifHeader } from "./headers/gif.ts"
import { readJpegHeader } from "./headers/jpeg.ts"
import { readPngHeader } from "./headers/png.ts"
import { readWebpHeader } from "./headers/webp.ts"

export interface ImageHeader extends ClaimedSize {
  readonly format: ImageFormat
}

/** Why a picture is not decoded; reasons of `SlipReaderError`. */
export type Refusal = "not-an-image" | "too-large" | "too-many-pixels" | "corrupt"

/**
 * Most bytes that a decoder may hold until a picture is complete (docs/spec/http.md, "Images"). More would
 * noticeably increase the memory of the service.
 */
const MAX_HELD_BYTES = 48_000_000

/**
 * Checks a picture before a decoder reads it. Decoders trust headers: a file of a few dozen bytes can make them
 * allocate gigabytes. The check reads the file once and allocates nothing that grows with it.
 */
export const checkHeader = (bytes: Uint8Array): Result.Result<ImageHeader, Refusal> => {
  if (bytes.byteLength > MAX_IMAGE_BYTES) return Result.fail("too-large")
  const format = formatOf(bytes)
  if (format === undefined) return Result.fail("not-an-image")
  const size = readers[format](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (size === undefined || size.width === 0 || size.height === 0) return Result.fail("corrupt")
  const isTooLarge = size.width * size.height > MAX_IMAGE_PIXELS || Math.max(size.width, size.height) > MAX_IMAGE_SIDE
  if (isTooLarge || size.heldBytes > MAX_HELD_BYTES) return Result.fail("too-many-pixels")
  return Result.succeed({ format, ...size })
}

/** The format by the first bytes; undefined for every other format, SVG and TIFF included. */
export const formatOf = (bytes: Uint8Array): ImageFormat | undefined => {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  if (start.startsWith("\xff\xd8\xff")) return "jpeg"
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png"
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "gif"
  return start.startsWith("RIFF") && start.startsWith("WEBP", 8) ? "webp" : undefined
}

/** Each returns undefined for a broken structure, or when a nested part claims more than the picture. */
const readers = { jpeg: readJpegHeader, png: readPngHeader, gif: readGifHeader, webp: readWebpHeader }
