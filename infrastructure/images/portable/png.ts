import { Unzlib } from "fflate"
import type { Grey } from "../grey.ts"
import { type PngChunk, pngChunks } from "../headers/png-chunks.ts"
import { pixelToGrey, readPngForm } from "./png-pixels.ts"
import { type PngFilterRow, unfilter } from "./png-filter.ts"

/**
 * Decodes a PNG of any colour type, depth and interlacing straight to grey, row by row: a picture may be small as a
 * file and gigabytes as samples, so neither its samples nor its inflated stream are ever held as a whole. What the
 * stream holds beyond the last row is not inflated.
 */
export const decodePng = (bytes: Uint8Array): Grey => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = [...pngChunks(view)]
  const form = readPngForm(bytes, chunks)
  const toGrey = pixelToGrey(form, bytes, chunks)
  const data = new Uint8Array(form.width * form.height)
  const rows = rowsOf(form)

  let next = rows.next()
  let row: Uint8Array = new Uint8Array(0)
  let previous: Uint8Array = row
  let filled = 0
  const openRow = () => {
    if (next.done === true) return
    previous = next.value.isFirst ? new Uint8Array(next.value.bytes) : row
    row = new Uint8Array(next.value.bytes)
    filled = -1
  }
  let filter: PngFilterRow["filter"] = 0
  const take = (samples: Uint8Array) => {
    let at = 0
    while (at < samples.length && next.done !== true) {
      if (filled < 0) {
        filter = samples[at++] ?? 0
        filled = 0
      }
      const part = samples.subarray(at, at + row.length - filled)
      row.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < row.length) return
      unfilter({ filter, row, previous, step: form.step })
      const { at: start, by, count } = next.value
      for (let x = 0; x < count; x++) data[start + x * by] = toGrey(row, x)
      next = rows.next()
      openRow()
    }
  }

  openRow()
  const inflate = new Unzlib(take)
  for (const slice of slices(bytes, chunks)) {
    if (next.done === true) break
    inflate.push(slice)
  }
  if (next.done !== true) throw new Error("the picture ends before its last row")
  return { data, width: form.width, height: form.height }
}

/** Bytes inflated at a time; they may become a thousand times as many. */
const SLICE = 16_384

function* slices(bytes: Uint8Array, chunks: ReadonlyArray<PngChunk>): Generator<Uint8Array> {
  for (const { from, to, type } of chunks) {
    if (type !== "IDAT") continue
    for (let at = from; at < to; at += SLICE) yield bytes.subarray(at, Math.min(at + SLICE, to))
  }
}

interface Row {
  /** Length of the samples. */
  readonly bytes: number
  readonly isFirst: boolean
  /** Where its first pixel belongs in the picture, how far the others are apart, and how many they are. */
  readonly at: number
  readonly by: number
  readonly count: number
}

/** Origin and step of the passes of Adam7; a picture that is not interlaced is one pass over everything. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2]
] as const
const ONE_PASS = [[0, 0, 1, 1]] as const

function* rowsOf(form: ReturnType<typeof readPngForm>): Generator<Row, undefined> {
  for (const [x0, y0, dx, dy] of form.isInterlaced ? ADAM7 : ONE_PASS) {
    const count = Math.ceil((form.width - x0) / dx)
    if (count <= 0) continue
    const bytes = Math.ceil((count * form.bitsPerPixel) / 8)
    for (let y = y0; y < form.height; y += dy) {
      yield { bytes, isFirst: y === y0, at: y * form.width + x0, by: dx, count }
    }
  }
  return undefined
}
