import { Result } from "effect"
import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS } from "../../domain/slip/picture-limits.ts"
import { formatOf, sizeOf } from "./headers/header.ts"
import type { ImageHeader } from "./headers/size.ts"

/** Why a picture is not handed to any decoder; the words of the port. */
export type Refusal = "not-an-image" | "too-large" | "too-many-pixels" | "corrupt"

/**
 * Judges a picture by its bytes before anything is decoded. Decoders believe headers: a file of a few dozen bytes
 * can ask them for gigabytes, so nothing reaches them that claims more than the limits.
 */
export const guard = (bytes: Uint8Array): Result.Result<ImageHeader, Refusal> => {
  if (bytes.byteLength > MAX_IMAGE_BYTES) return Result.fail("too-large")
  const format = formatOf(bytes)
  if (format === undefined) return Result.fail("not-an-image")
  const size = sizeOf(format, bytes)
  if (size === undefined) return Result.fail("corrupt")
  if (size.width * size.height > MAX_IMAGE_PIXELS) return Result.fail("too-many-pixels")
  if ((size.heldPerPixel ?? 0) * size.width * size.height > MAX_HELD_BYTES) return Result.fail("too-many-pixels")
  if (size.jpeg?.isProgressive === true && size.jpeg.samples > MAX_PROGRESSIVE_SAMPLES) {
    return Result.fail("too-many-pixels")
  }
  return Result.succeed({ format, ...size })
}

/** Most bytes of a whole picture that a decoder is let keep: more would tell in the memory of the service. */
const MAX_HELD_BYTES = 48_000_000

/**
 * Most samples of a progressive JPEG, two bytes each, all of which are held until the last is known: 13 megapixels in
 * the usual colour resolution, 6 in the full one.
 */
const MAX_PROGRESSIVE_SAMPLES = 20_000_000
