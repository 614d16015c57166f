import { Context, type Effect, Schema } from "effect"
import type { QrSlip } from "../domain/slip/qr-slips.ts"

export { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from "./image-limits.ts"

export const ImageFormat = Schema.Literals(["jpeg", "png", "gif", "webp"])
export type ImageFormat = typeof ImageFormat.Type

/** The QR codes of a picture. */
export interface SlipReading {
  readonly format: ImageFormat
  /** Pixels as stored, before the orientation is applied. */
  readonly width: number
  readonly height: number
  /** The different slips, of banks and of TrueMoney. The picture may hold other QR codes too. */
  readonly slips: ReadonlyArray<QrSlip>
  /** All QR texts, slips and others, in the order in which the reader found them. */
  readonly texts: ReadonlyArray<string>
  readonly tookMillis: number
}

/**
 * Why a picture was not read.
 *
 * - `not-an-image`: the first bytes are not those of JPEG, PNG, GIF or WebP
 * - `too-large`: more than `MAX_IMAGE_BYTES`
 * - `too-many-pixels`: more than `MAX_IMAGE_PIXELS` or `MAX_IMAGE_SIDE`, or more memory or work than a decoder may take;
 *   the picture was not decoded
 * - `corrupt`: starts like an image, but cannot be decoded
 * - `deadline`: reading took too long; the worker was stopped
 * - `busy`: too many pictures of all branches are waiting, or this one waited too long
 * - `branch-busy`: the same, and most of them are of this branch
 * - `over-budget`: the branch has used up its CPU time for pictures; `retryAfterSeconds` says when it may read again
 * - `unavailable`: the reader itself failed
 */
export const SlipReaderReason = Schema.Literals([
  "not-an-image",
  "too-large",
  "too-many-pixels",
  "corrupt",
  "deadline",
  "busy",
  "branch-busy",
  "over-budget",
  "unavailable"
])

/** The picture was not read, for one of the reasons. */
export class SlipReaderError extends Schema.TaggedError<SlipReaderError>()("SlipReaderError", {
  reason: SlipReaderReason,
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Reads the QR codes of a slip picture. A picture without a slip is an answer, not an error. Branches share the reader
 * fairly: pictures of one branch do not delay those of another. `branchId` may be any name for another kind of caller.
 */
export class SlipReader extends Context.Service<SlipReader, {
  readonly read: (image: Uint8Array, branchId: string) => Effect.Effect<SlipReading, SlipReaderError>
}>()("sliptrail/application/SlipReader") {}
