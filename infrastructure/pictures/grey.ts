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

/** The brightness of each pixel (Rec. 601), on white where the picture is transparent. */
export const toGrey = ({ bitDepth = 8, channels, data, height, width }: Samples): Grey => {
  const shift = bitDepth - 8
  const hasAlpha = channels % 2 === 0
  const grey = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < grey.length; to++, from += channels) {
    const first = data[from] ?? 0
    const brightness = channels < 3
      ? first >> shift
      : (first * 77 + (data[from + 1] ?? 0) * 150 + (data[from + 2] ?? 0) * 29) >> (8 + shift)
    const alpha = hasAlpha ? (data[from + channels - 1] ?? 0) >> shift : 255
    grey[to] = alpha === 255 ? brightness : 255 - Math.round(((255 - brightness) * alpha) / 255)
  }
  return { data: grey, width, height }
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

/** Enlarges by bilinear interpolation; `factor` is at least 1. */
export const enlarged = (grey: Grey, factor: number): Grey => {
  const width = Math.round(grey.width * factor)
  const height = Math.round(grey.height * factor)
  const data = new Uint8Array(width * height)
  const at = (x: number, y: number) =>
    grey.data[Math.min(y, grey.height - 1) * grey.width + Math.min(x, grey.width - 1)] ?? 0
  for (let y = 0, to = 0; y < height; y++) {
    const sourceY = Math.max(0, (y + 0.5) / factor - 0.5)
    const row = Math.floor(sourceY)
    const down = sourceY - row
    for (let x = 0; x < width; x++, to++) {
      const sourceX = Math.max(0, (x + 0.5) / factor - 0.5)
      const column = Math.floor(sourceX)
      const right = sourceX - column
      const above = at(column, row) * (1 - right) + at(column + 1, row) * right
      const below = at(column, row + 1) * (1 - right) + at(column + 1, row + 1) * right
      data[to] = above * (1 - down) + below * down
    }
  }
  return { data, width, height }
}

/** Adds a white margin, for codes that were cut off without their quiet zone. */
export const withMargin = (grey: Grey, margin: number): Grey => {
  const width = grey.width + 2 * margin
  const height = grey.height + 2 * margin
  const data = new Uint8Array(width * height).fill(255)
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
