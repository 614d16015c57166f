import type { ImageFormat } from "../../../ports/slip-reader.ts"

/** What the header of a picture of a known format claims. */
export interface Size {
  /** Pixels, as stored: before any orientation is applied. */
  readonly width: number
  readonly height: number
  /**
   * Bytes a pixel that a decoder keeps of the whole picture until it is done, where it can't give row after row: of an
   * interlaced PNG, a GIF, a WebP without loss or with transparency. Absent otherwise.
   */
  readonly heldPerPixel?: number
  /** Of a JPEG only. */
  readonly jpeg?: JpegFrame
}

/** How a JPEG is stored, as far as it decides how much memory decoding takes. */
export interface JpegFrame {
  /** Samples of all components in whole blocks: one and a half a pixel, or three, or four. */
  readonly samples: number
  /** Progressive: no sample is known before all of them are read, so the decoder keeps them all. */
  readonly isProgressive: boolean
}

/** What a picture says of itself before anything is decoded. */
export interface ImageHeader extends Size {
  readonly format: ImageFormat
}
