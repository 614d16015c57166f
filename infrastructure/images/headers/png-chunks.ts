/** A chunk of a PNG with the place of its data. */
export interface PngChunk {
  readonly type: string
  readonly from: number
  readonly to: number
}

/** The chunks behind the signature up to IEND, or up to the first one that reaches beyond the file. */
export function* pngChunks(view: DataView): Generator<PngChunk> {
  let at = 8
  while (at + 12 <= view.byteLength) {
    const from = at + 8
    const to = from + view.getUint32(at)
    if (to + 4 > view.byteLength) return
    const type = String.fromCharCode(
      view.getUint8(at + 4),
      view.getUint8(at + 5),
      view.getUint8(at + 6),
      view.getUint8(at + 7)
    )
    yield { type, from, to }
    if (type === "IEND") return
    at = to + 4
  }
}
