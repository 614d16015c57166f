import { luma, onWhite } from "../grey.ts"
import type { PngChunk } from "../headers/png-chunks.ts"

/** How the samples of a PNG are laid out. */
export interface PngForm {
  readonly width: number
  readonly height: number
  /** Bits of a sample: 1, 2, 4, 8 or 16. */
  readonly depth: number
  /** 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha. */
  readonly colourType: number
  readonly channels: number
  readonly bitsPerPixel: number
  /** Whole bytes of a pixel, at least 1. */
  readonly step: number
  readonly isInterlaced: boolean
}

const DEPTHS: Readonly<Record<number, ReadonlyArray<number>>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16]
}
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Reads IHDR, which the guard has found to be there. Throws on a form that there is not. */
export const readPngForm = (bytes: Uint8Array, chunks: ReadonlyArray<PngChunk>): PngForm => {
  const head = chunks[0]
  if (head?.type !== "IHDR") throw new Error("no header")
  const view = new DataView(bytes.buffer, bytes.byteOffset + head.from, head.to - head.from)
  const depth = view.getUint8(8)
  const colourType = view.getUint8(9)
  const channels = CHANNELS[colourType]
  if (channels === undefined || DEPTHS[colourType]?.includes(depth) !== true) throw new Error("no such kind of PNG")
  return {
    width: view.getUint32(0),
    height: view.getUint32(4),
    depth,
    colourType,
    channels,
    bitsPerPixel: depth * channels,
    step: Math.max(1, (depth * channels) >> 3),
    isInterlaced: view.getUint8(12) === 1
  }
}

/** Gives the brightness of the pixel at a place of a row, on white where it is transparent. */
export const pixelToGrey = (
  form: PngForm,
  bytes: Uint8Array,
  chunks: ReadonlyArray<PngChunk>
): (row: Uint8Array, x: number) => number => {
  const chunk = (type: string): Uint8Array => {
    const found = chunks.find((one) => one.type === type)
    return found === undefined ? new Uint8Array(0) : bytes.subarray(found.from, found.to)
  }
  const transparent = chunk("tRNS")
  if (form.colourType === 3) {
    const table = paletteTable(chunk("PLTE"), transparent)
    return (row, x) => table[rawSample(row, x, form.depth)] ?? 255
  }
  if (form.colourType === 0) {
    const clear = transparent.length < 2 ? -1 : word(transparent, 0)
    const top = 2 ** form.depth - 1
    return (row, x) => {
      const sample = rawSample(row, x, form.depth)
      return sample === clear ? 255 : Math.round((sample * 255) / top)
    }
  }
  const wide = form.depth >> 3
  if (form.colourType === 4) return (row, x) => onWhite(row[x * form.step] ?? 0, row[x * form.step + wide] ?? 0)
  const isClear = clearColour(transparent, form)
  return (row, x) => {
    const at = x * form.step
    if (isClear(row, at)) return 255
    const brightness = luma(row[at] ?? 0, row[at + wide] ?? 0, row[at + 2 * wide] ?? 0)
    return form.colourType === 6 ? onWhite(brightness, row[at + 3 * wide] ?? 0) : brightness
  }
}

const word = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

const rawSample = (row: Uint8Array, x: number, depth: number): number => {
  if (depth === 8) return row[x] ?? 0
  if (depth === 16) return word(row, 2 * x)
  const bit = x * depth
  return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

const paletteTable = (palette: Uint8Array, alphas: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: palette.length / 3 }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = palette.subarray(3 * index, 3 * index + 3)
    return onWhite(luma(red, green, blue), alphas[index] ?? 255)
  })

/** The one colour that stands for transparency in pictures without alpha. */
const clearColour = (transparent: Uint8Array, { colourType, depth }: PngForm) => {
  if (colourType !== 2 || transparent.length < 6) return () => false
  const clear = [word(transparent, 0), word(transparent, 2), word(transparent, 4)]
  return depth === 16
    ? (row: Uint8Array, at: number) => clear.every((sample, index) => word(row, at + 2 * index) === sample)
    : (row: Uint8Array, at: number) => clear.every((sample, index) => row[at + index] === sample)
}
