/** A chunk of a WebP with the place of its data. */
export interface WebpChunk {
  readonly type: string
  readonly from: number
  /** Behind the data; at the end of the file when the chunk claims more. */
  readonly to: number
}

/** Bytes of the fields that precede the chunks of one frame of an animation. */
export const FRAME_FIELDS = 16

/** The chunks of a WebP behind its RIFF header, or those of a frame when told where they begin and end. */
export function* webpChunks(view: DataView, start = 12, end = view.byteLength): Generator<WebpChunk> {
  let at = start
  while (at + 8 <= end) {
    const type = String.fromCharCode(
      view.getUint8(at),
      view.getUint8(at + 1),
      view.getUint8(at + 2),
      view.getUint8(at + 3)
    )
    const length = view.getUint32(at + 4, true)
    yield { type, from: at + 8, to: Math.min(at + 8 + length, end) }
    // Chunks begin at even places.
    at += 8 + length + (length & 1)
  }
}
