import * as Result from "effect/Result"
import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from "../../../ports/image-limits.ts"
import type { ImageFormat } from "../../../ports/slip-reader.ts"
import type { PictureStructure } from "./headers/claimed-size.ts"
import { joinParts } from "./headers/file-parts.ts"
import { readGifHeader } from "./headers/gif.ts"
import { readJpegHeader } from "./headers/jpeg.ts"
import { readPngHeader } from "./headers/png.ts"
import { readWebpHeader } from "./headers/webp.ts"

// Loaded by the reading threads: imports effect/Result, not effect, which would take 50 MB in each thread.

export interface ImageHeader extends PictureStructure {
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
 * Most samples that the scans of a JPEG may code (docs/spec/http.md, "Images"): the usual scans of the largest progressive
 * picture code 190 million. A scan of 25 bytes can code 20 million, and a decoder visits each of them.
 */
const MAX_SCANNED_SAMPLES = 300_000_000

/**
 * Checks a picture before a decoder reads it. Decoders trust headers: a file of a few dozen bytes can make them
 * allocate gigabytes. The check reads the file once and allocates nothing that grows with it. It runs in the reading threads:
 * it takes up to 0.1 s for a forged file.
 */
export const checkHeader = (bytes: Uint8Array): Result.Result<ImageHeader, Refusal> => {
  const start = checkStart(bytes)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  const format = start.success
  const structure = readers[format](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (structure === undefined || structure.width === 0 || structure.height === 0) return Result.fail("corrupt")
  const { heldBytes, height, scannedSamples, width } = structure
  const isTooLarge = width * height > MAX_IMAGE_PIXELS || Math.max(width, height) > MAX_IMAGE_SIDE
  const isTooMuchWork = heldBytes > MAX_HELD_BYTES || scannedSamples > MAX_SCANNED_SAMPLES
  return isTooLarge || isTooMuchWork ? Result.fail("too-many-pixels") : Result.succeed({ format, ...structure })
}

/** The format of a picture by its first bytes. Takes no time that grows with the picture. */
export const checkStart = (bytes: Uint8Array): Result.Result<ImageFormat, "too-large" | "not-an-image"> => {
  if (bytes.byteLength > MAX_IMAGE_BYTES) return Result.fail("too-large")
  const format = formatOf(bytes)
  return format === undefined ? Result.fail("not-an-image") : Result.succeed(format)
}

/** The file that a decoder gets: the first picture, and nothing else. */
export const decoderFile = ({ parts }: ImageHeader): Uint8Array<ArrayBuffer> => joinParts(parts)

/** The format by the first bytes; undefined for every other format, SVG and TIFF included. */
export const formatOf = (bytes: Uint8Array): ImageFormat | undefined => {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  if (start.startsWith("\xff\xd8\xff")) return "jpeg"
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png"
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "gif"
  return start.startsWith("RIFF") && start.startsWith("WEBP", 8) ? "webp" : undefined
}

/** Each returns undefined for a broken structure, for too many parts, or when a nested part claims more than the picture. */
const readers = { jpeg: readJpegHeader, png: readPngHeader, gif: readGifHeader, webp: readWebpHeader }
