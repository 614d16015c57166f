import type { Ground } from "./reading.ts"

/** A picture in grey, one byte a pixel, row by row from the top left. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Decoded samples: grey or colour, with alpha when the number of channels is even. */
export interface Samples {
  readonly data: ArrayLike<number>
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Bits of a sample, 8 or 16. Default 8. */
  readonly bitDepth?: number
}

/** The brightness of each pixel (Rec. 601), on the ground where the picture is transparent. */
export const toGrey = (samples: Samples, ground: Ground): Grey => {
  const { bitDepth = 8, channels, data, height, width } = samples
  const shift = bitDepth - 8
  const isAlpha = hasAlpha(samples)
  const grey = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < grey.length; to++, from += channels) {
    const first = data[from] ?? 0
    const brightness = channels < 3
      ? first >> shift
      : (first * 77 + (data[from + 1] ?? 0) * 150 + (data[from + 2] ?? 0) * 29) >> (8 + shift)
    const alpha = isAlpha ? (data[from + channels - 1] ?? 0) >> shift : 255
    grey[to] = alpha === 255 ? brightness : ground + Math.round(((brightness - ground) * alpha) / 255)
  }
  return { data: grey, width, height }
}

const hasAlpha = ({ channels }: Samples): boolean => channels % 2 === 0

/** Whether a pixel lets the ground through. */
export const isTransparent = (samples: Samples): boolean => {
  const { bitDepth = 8, channels, data } = samples
  if (!hasAlpha(samples)) return false
  const opaque = 2 ** bitDepth - 1
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== opaque) return true
  return false
}

/** Reduces the picture so that its longer side has at most `side` pixels. Never enlarges it. */
export const fitted = (grey: Grey, side: number): Grey => {
  const longest = Math.max(grey.width, grey.height)
  return longest <= side ? grey : reduced(grey, side / longest)
}

/** Averages the source pixels of each pixel. */
const reduced = (grey: Grey, factor: number): Grey => {
  const width = Math.max(1, Math.round(grey.width * factor))
  const height = Math.max(1, Math.round(grey.height * factor))
  const data = new Uint8Array(width * height)
  for (let y = 0, to = 0; y < height; y++) {
    const [top, bottom] = sourceSpan(y, height, grey.height)
    for (let x = 0; x < width; x++, to++) {
      const [left, right] = sourceSpan(x, width, grey.width)
      let sum = 0
      for (let row = top; row < bottom; row++) {
        for (let at = row * grey.width + left; at < row * grey.width + right; at++) sum += grey.data[at] ?? 0
      }
      data[to] = sum / ((bottom - top) * (right - left))
    }
  }
  return { data, width, height }
}

/** The source pixels, at least one, of one pixel of the reduced picture. */
const sourceSpan = (at: number, count: number, size: number): readonly [from: number, to: number] => {
  const from = Math.floor((at * size) / count)
  return [from, Math.max(from + 1, Math.floor(((at + 1) * size) / count))]
}

/** Enlarges by Catmull-Rom interpolation, which keeps the edges of small modules; `factor` is at least 1. */
export const enlarged = (grey: Grey, factor: number): Grey => {
  if (factor <= 1) return grey
  const wide = resampledRows(grey, Math.round(grey.width * factor))
  return transposed(resampledRows(transposed(wide), Math.round(grey.height * factor)))
}

/** Resamples each row to a new width. */
const resampledRows = ({ data, height, width }: Grey, newWidth: number): Grey => {
  const taps = Array.from({ length: newWidth }, (_, x) => tapsOf((x + 0.5) * width / newWidth - 0.5, width))
  const result = new Uint8ClampedArray(newWidth * height)
  for (let y = 0, to = 0; y < height; y++) {
    const row = y * width
    for (const { at0, at1, at2, at3, w0, w1, w2, w3 } of taps) {
      result[to++] = (data[row + at0] ?? 0) * w0 + (data[row + at1] ?? 0) * w1 + (data[row + at2] ?? 0) * w2
        + (data[row + at3] ?? 0) * w3
    }
  }
  return { data: new Uint8Array(result.buffer), width: newWidth, height }
}

/** The four source pixels of a position, and their weights. Pixels outside are those of the edge. */
const tapsOf = (position: number, size: number) => {
  const left = Math.floor(position)
  const t = position - left
  const inside = (at: number) => Math.min(Math.max(at, 0), size - 1)
  return {
    at0: inside(left - 1),
    at1: inside(left),
    at2: inside(left + 1),
    at3: inside(left + 2),
    w0: ((2 - t) * t - 1) * t / 2,
    w1: ((3 * t - 5) * t * t + 2) / 2,
    w2: ((4 - 3 * t) * t + 1) * t / 2,
    w3: (t - 1) * t * t / 2
  }
}

/** Rows become columns. */
const transposed = ({ data, height, width }: Grey): Grey => {
  const result = new Uint8Array(data.length)
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0, to = y; x < width; x++, from++, to += height) result[to] = data[from] ?? 0
  }
  return { data: result, width: height, height: width }
}

/** Adds a margin of the ground, for codes that were cut off without their quiet zone. */
export const withMargin = (grey: Grey, margin: number, ground: Ground): Grey => {
  const width = grey.width + 2 * margin
  const height = grey.height + 2 * margin
  const data = new Uint8Array(width * height).fill(ground)
  for (let y = 0; y < grey.height; y++) {
    data.set(grey.data.subarray(y * grey.width, (y + 1) * grey.width), (y + margin) * width + margin)
  }
  return { data, width, height }
}

/** Stretches the contrast: the darkest and the brightest 2 % of the pixels become black and white. */
export const stretched = (grey: Grey): Grey => {
  const histogram = new Uint32Array(256)
  for (const value of grey.data) histogram[value] = (histogram[value] ?? 0) + 1
  const threshold = grey.data.length * 0.02
  let low = 0
  for (let seen = histogram[0] ?? 0; seen < threshold; seen += histogram[low] ?? 0) low++
  let high = 255
  for (let seen = histogram[255] ?? 0; seen < threshold; seen += histogram[high] ?? 0) high--
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) * 255) / Math.max(1, high - low))
  return { ...grey, data: grey.data.map((value) => table[value] ?? 0) }
}

/** Blurs with a kernel of 3 x 3, against noise. The outermost pixels keep their values. */
export const blurred = (grey: Grey): Grey => {
  const { data, height, width } = grey
  const at = (position: number): number => data[position] ?? 0
  const result = Uint8Array.from(data)
  for (let y = 1; y < height - 1; y++) {
    for (let to = y * width + 1; to < (y + 1) * width - 1; to++) {
      const above = to - width
      const below = to + width
      const corners = at(above - 1) + at(above + 1) + at(below - 1) + at(below + 1)
      const sides = at(to - 1) + at(to + 1) + at(above) + at(below)
      result[to] = (4 * at(to) + 2 * sides + corners) >> 4
    }
  }
  return { ...grey, data: result }
}

/** Makes edges steeper, by the difference from the blurred picture. */
export const sharpened = (grey: Grey, strength: number): Grey => {
  const soft = blurred(grey).data
  const data = new Uint8ClampedArray(grey.data.length)
  for (let at = 0; at < data.length; at++) {
    const value = grey.data[at] ?? 0
    data[at] = value + strength * (value - (soft[at] ?? 0))
  }
  return { ...grey, data: new Uint8Array(data.buffer) }
}
