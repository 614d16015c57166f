import type { Grey } from "../grey.ts"
import { luma } from "../grey.ts"
import { inflateLzw } from "./gif-lzw.ts"

const EXTENSION = 0x21
const FRAME = 0x2c
const CONTROL = 0xf9

/** Decodes the first frame of a GIF on white. The guard has seen to it that the frame lies on the canvas. */
export const decodeGif = (bytes: Uint8Array): Grey => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = view.getUint16(6, true)
  const height = view.getUint16(8, true)
  const shared = palette(bytes, 13, view.getUint8(10))
  let at = 13 + shared.length
  let clear = -1
  while (view.getUint8(at) === EXTENSION) {
    if (view.getUint8(at + 1) === CONTROL) clear = (view.getUint8(at + 3) & 1) === 1 ? view.getUint8(at + 6) : -1
    at = behindBlocks(view, at + 2)
  }
  if (view.getUint8(at) !== FRAME) throw new Error("no frame")

  const frame = {
    left: view.getUint16(at + 1, true),
    top: view.getUint16(at + 3, true),
    width: view.getUint16(at + 5, true),
    height: view.getUint16(at + 7, true)
  }
  const flags = view.getUint8(at + 9)
  const own = palette(bytes, at + 10, flags)
  const greys = greyTable(own.length > 0 ? own : shared, clear)
  const indices = inflateLzw(bytes, at + 10 + own.length, frame.width * frame.height)

  const data = new Uint8Array(width * height).fill(255)
  for (const [from, y] of rowOrder(frame.height, (flags & 0x40) !== 0)) {
    const start = (frame.top + y) * width + frame.left
    for (let x = 0; x < frame.width; x++) data[start + x] = greys[indices[from * frame.width + x] ?? 0] ?? 255
  }
  return { data, width, height }
}

const palette = (bytes: Uint8Array, at: number, flags: number): Uint8Array =>
  (flags & 0x80) === 0 ? new Uint8Array(0) : bytes.subarray(at, at + (3 << ((flags & 7) + 1)))

const greyTable = (colours: Uint8Array, clear: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = colours.subarray(3 * index, 3 * index + 3)
    return index === clear ? 255 : luma(red, green, blue)
  })

const behindBlocks = (view: DataView, start: number): number => {
  let at = start
  while (view.getUint8(at) !== 0) at += view.getUint8(at) + 1
  return at + 1
}

/** Which row of the stream is which row of the frame: interlaced frames come every 8th, 8th, 4th and 2nd row. */
function* rowOrder(height: number, isInterlaced: boolean): Generator<readonly [from: number, y: number]> {
  let from = 0
  for (const [start, step] of isInterlaced ? [[0, 8], [4, 8], [2, 4], [1, 2]] as const : [[0, 1]] as const) {
    for (let y = start; y < height; y += step) yield [from++, y]
  }
}
