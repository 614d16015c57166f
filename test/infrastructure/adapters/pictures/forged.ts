import { constants, crc32, deflateRawSync, deflateSync } from "node:zlib"

// Small files that claim to be large pictures, and the parts that files consist of.

export const ascii = (text: string) => Buffer.from(text, "latin1")
export const be16 = (value: number) => Buffer.from([value >> 8, value & 255])
export const be32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255])
export const le16 = (value: number) => Buffer.from([value & 255, value >> 8])
export const le24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])
export const le32 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24])

interface Frame {
  readonly width: number
  readonly height: number
  readonly marker?: number
  /** Sampling factors of each component, as a byte. */
  readonly sampling?: ReadonlyArray<number>
}

const frameHeader = ({ height, marker = 0xc0, sampling = [0x22, 0x11, 0x11], width }: Frame) =>
  Buffer.concat([
    Buffer.from([0xff, marker]),
    be16(8 + 3 * sampling.length),
    Buffer.from([8]),
    be16(height),
    be16(width),
    Buffer.from([sampling.length, ...sampling.flatMap((factors, index) => [index + 1, factors, 0])])
  ])

/** A JPEG that consists of frame headers and the start of a scan. */
export const jpeg = (...frames: ReadonlyArray<Frame>): Uint8Array =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, ...Array<number>(64).fill(1)]),
    ...frames.map(frameHeader),
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0x55, 0xff, 0xd9])
  ])

export const pngChunk = (type: string, data: Uint8Array) =>
  Buffer.concat([be32(data.length), ascii(type), data, be32(crc32(data, crc32(type)))])

/** A segment of a JPEG. */
export const segment = (marker: number, payload: Uint8Array) =>
  Buffer.concat([Buffer.from([0xff, marker]), be16(payload.length + 2), payload])

/** A PNG with `data` as its compressed samples. */
export const png = (
  width: number,
  height: number,
  data: Uint8Array = deflateSync(Buffer.alloc(8)),
  interlace: 0 | 1 = 0
): Uint8Array =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", Buffer.concat([be32(width), be32(height), Buffer.from([8, 6, 0, 0, interlace])])),
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0))
  ])

/** A zlib stream that inflates to `mebibytes` and takes about a thousandth of it. */
export const zeros = (mebibytes: number): Uint8Array => {
  const one = deflateRawSync(Buffer.alloc(1_048_576), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(mebibytes).fill(one)])
}

/** A GIF whose frame may have another size than its canvas. */
export const gif = (canvas: readonly [number, number], frame: readonly [number, number]): Uint8Array =>
  Buffer.concat([
    ascii("GIF89a"),
    ...canvas.map(le16),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0]),
    ...frame.map(le16),
    Buffer.from([0, 2, 2, 0x44, 1, 0, 0x3b])
  ])

export const webpChunk = (type: string, data: Uint8Array) =>
  Buffer.concat([ascii(type), le32(data.length), data, Buffer.alloc(data.length & 1)])

export const webp = (...chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = Buffer.concat([ascii("WEBP"), ...chunks])
  return Buffer.concat([ascii("RIFF"), le32(body.length), body])
}

const vp8l = (width: number, height: number) =>
  webpChunk("VP8L", Buffer.concat([Buffer.from([0x2f]), le32((width - 1) | ((height - 1) << 14)), Buffer.alloc(12)]))

export const vp8x = (width: number, height: number, flags = 0) =>
  webpChunk("VP8X", Buffer.concat([le32(flags), le24(width - 1), le24(height - 1)]))

export const webpLossless = (width: number, height: number) => webp(vp8l(width, height))
export const webpLossy = (width: number, height: number) => {
  const start = Buffer.from([0x10, 0, 0, 0x9d, 1, 0x2a])
  return webp(webpChunk("VP8 ", Buffer.concat([start, le16(width), le16(height), Buffer.alloc(8)])))
}
export const webpExtended = (width: number, height: number) => webp(vp8x(width, height), vp8l(8, 8))
/** A small canvas around a large bitstream. */
export const webpNested = (width: number, height: number) => webp(vp8x(8, 8), vp8l(width, height))
/** A small canvas around a frame of an animation with a large bitstream. */
export const webpAnimated = (width: number, height: number) =>
  webp(
    vp8x(8, 8, 2),
    webpChunk("ANIM", Buffer.alloc(6)),
    webpChunk("ANMF", Buffer.concat([Buffer.alloc(6), le24(7), le24(7), Buffer.alloc(4), vp8l(width, height)]))
  )
