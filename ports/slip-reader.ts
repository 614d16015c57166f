import { Context, type Effect, Schema } from "effect"
import type { SlipPayload } from "../domain/slip/payload.ts"

export const ImageFormat = Schema.Literals(["jpeg", "png", "gif", "webp"])
export type ImageFormat = typeof ImageFormat.Type

/** What was read in a picture. */
export interface SlipReading {
  readonly format: ImageFormat
  /** Pixels, as the header gives them. */
  readonly width: number
  readonly height: number
  /** The first QR text that is a slip with a right checksum, even beside other QR codes. */
  readonly slip: SlipPayload | undefined
  /** Every QR text that was seen, slips and others, in the order of finding. */
  readonly texts: ReadonlyArray<string>
  readonly tookMillis: number
}

/**
 * Why a picture was not read.
 *
 * - `not-an-image`: the first bytes are not those of JPEG, PNG, GIF or WebP
 * - `too-large`: more than `MAX_IMAGE_BYTES` of `domain/slip/picture-limits.ts`
 * - `too-many-pixels`: more than `MAX_IMAGE_PIXELS`, or fewer that a decoder would have to hold as a whole; nothing was
 *   decoded
 * - `corrupt`: begins like an image and is none
 * - `deadline`: looking took too long; the worker that looked was ended
 * - `busy`: too many pictures are waiting
 * - `unavailable`: the reader itself failed
 */
export class SlipReaderError extends Schema.TaggedError<SlipReaderError>()("SlipReaderError", {
  reason: Schema.Literals([
    "not-an-image",
    "too-large",
    "too-many-pixels",
    "corrupt",
    "deadline",
    "busy",
    "unavailable"
  ]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Reads the QR codes of a slip picture. A picture without a slip is an answer, not an error. */
export class SlipReader extends Context.Service<SlipReader, {
  readonly read: (image: Uint8Array) => Effect.Effect<SlipReading, SlipReaderError>
}>()("sliptrail/application/SlipReader") {}
