import type { Grey } from "../grey.ts"

/** The picture at another size: averaged when it gets smaller, interpolated when it gets larger. */
export const scaled = (grey: Grey, factor: number): Grey => factor < 1 ? shrunk(grey, factor) : grown(grey, factor)

const shrunk = (grey: Grey, factor: number): Grey => {
  const width = Math.max(1, Math.round(grey.width * factor))
  const height = Math.max(1, Math.round(grey.height * factor))
  const data = new Uint8Array(width * height)
  for (let y = 0, to = 0; y < height; y++) {
    const [top, bottom] = span(y, height, grey.height)
    for (let x = 0; x < width; x++, to++) {
      const [left, right] = span(x, width, grey.width)
      let sum = 0
      for (let row = top; row < bottom; row++) {
        for (let at = row * grey.width + left; at < row * grey.width + right; at++) sum += grey.data[at] ?? 0
      }
      data[to] = sum / ((bottom - top) * (right - left))
    }
  }
  return { data, width, height }
}

/** The pixels of the larger picture, at least one, that one of the smaller picture stands for. */
const span = (at: number, count: number, of: number): readonly [from: number, to: number] => {
  const from = Math.floor((at * of) / count)
  return [from, Math.max(from + 1, Math.floor(((at + 1) * of) / count))]
}

const grown = (grey: Grey, factor: number): Grey => {
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

/** A part of the picture; all four numbers are shares of its width and height. */
export interface Part {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export const cropped = (grey: Grey, part: Part): Grey => {
  const left = Math.floor(part.left * grey.width)
  const top = Math.floor(part.top * grey.height)
  const width = Math.max(1, Math.floor(part.width * grey.width))
  const height = Math.max(1, Math.floor(part.height * grey.height))
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const from = (top + y) * grey.width + left
    data.set(grey.data.subarray(from, from + width), y * width)
  }
  return { data, width, height }
}

/** Contrast stretched so that the darkest and the brightest two of a hundred pixels become black and white. */
export const stretched = (grey: Grey): Grey => {
  const histogram = new Uint32Array(256)
  for (const value of grey.data) histogram[value] = (histogram[value] ?? 0) + 1
  const few = grey.data.length * 0.02
  let low = 0
  for (let seen = histogram[0] ?? 0; seen < few; seen += histogram[low] ?? 0) low++
  let high = 255
  for (let seen = histogram[255] ?? 0; seen < few; seen += histogram[high] ?? 0) high--
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) * 255) / Math.max(1, high - low))
  return { ...grey, data: grey.data.map((value) => table[value] ?? 0) }
}

/** Softened by a kernel of 3 x 3, against noise; the outermost pixels stay. */
export const softened = (grey: Grey): Grey => {
  const { data, height, width } = grey
  const soft = Uint8Array.from(data)
  for (let y = 1; y < height - 1; y++) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      const above = at - width
      const below = at + width
      const corners = p(data, above - 1) + p(data, above + 1) + p(data, below - 1) + p(data, below + 1)
      const sides = p(data, at - 1) + p(data, at + 1) + p(data, above) + p(data, below)
      soft[at] = (4 * p(data, at) + 2 * sides + corners) >> 4
    }
  }
  return { ...grey, data: soft }
}

const p = (data: Uint8Array, at: number): number => data[at] ?? 0

/** With a white rectangle over a part, in pixels: what was read there is not found again. */
export const covered = (grey: Grey, left: number, top: number, right: number, bottom: number): Grey => {
  const data = Uint8Array.from(grey.data)
  for (let y = Math.max(0, top); y < Math.min(grey.height, bottom); y++) {
    data.fill(255, y * grey.width + Math.max(0, left), y * grey.width + Math.min(grey.width, right))
  }
  return { ...grey, data }
}
