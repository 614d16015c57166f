/** The size that the header of a picture claims, and the memory for decoding it. */
export interface ClaimedSize {
  /** Pixels as stored, before the orientation is applied. */
  readonly width: number
  /** Pixels as stored, before the orientation is applied. */
  readonly height: number
  /** Bytes of all decoded samples. */
  readonly sampleBytes: number
  /** Bytes that a decoder holds until the whole picture is decoded; 0 when it can emit one row after another. */
  readonly heldBytes: number
}
