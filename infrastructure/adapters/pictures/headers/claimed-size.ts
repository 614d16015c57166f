/** The size that the header of a picture claims, and what decoding it takes. */
export interface ClaimedSize {
  /** Pixels as stored, before the orientation is applied. */
  readonly width: number
  /** Pixels as stored, before the orientation is applied. */
  readonly height: number
  /** Bytes of all decoded samples. */
  readonly sampleBytes: number
  /** Bytes that a decoder holds until the whole picture is decoded; 0 when it can emit one row after another. */
  readonly heldBytes: number
  /** Samples that the scans of a JPEG code, each as often as a scan codes it; 0 for the other formats. */
  readonly scannedSamples: number
}

/** What the structure of a file says about its first picture. */
export interface PictureStructure extends ClaimedSize {
  /**
   * The file that a decoder gets, in parts: what it needs for the pixels of the first picture. It gets no further frame, no
   * metadata, and no bytes after the picture.
   */
  readonly parts: ReadonlyArray<Uint8Array>
}
