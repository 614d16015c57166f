import sharp from "sharp"
import { deflateSync } from "node:zlib"
import { MAX_IMAGE_BYTES } from "../../../../ports/slip-reader.ts"
import { ascii, be16, be32, le16, le24, le32, pngChunk, segment, vp8x, webp, webpChunk } from "./forged.ts"

// Files of up to 4 MB with as many frames, chunks, segments, codes or scans as fit. Decoders take more time for each of them
// the more there are.

export interface ManyParts {
  readonly what: string
  readonly bytes: Uint8Array
}

/** As many copies of a part as fit beside `others` bytes. */
const repeated = (part: Uint8Array, others: number): Buffer =>
  Buffer.concat(Array<Uint8Array>(Math.floor((MAX_IMAGE_BYTES - others - SPARE_BYTES) / part.length)).fill(part))

/** Enough for the headers of a file. */
const SPARE_BYTES = 400

const white = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: "#fff" } })

/** Files around the same picture, and `clean`: the picture alone. */
export const manyParts = async (
  picture: Uint8Array
): Promise<ReadonlyArray<ManyParts & { readonly clean: Uint8Array }>> => {
  const [jpeg, png, gif, still] = await Promise.all([
    sharp(picture).jpeg({ quality: 85 }).toBuffer(),
    sharp(picture).png().toBuffer(),
    sharp(picture).gif().toBuffer(),
    sharp(picture).webp({ quality: 90 }).toBuffer()
  ])
  return [
    ...jpegs(jpeg).map((file) => ({ ...file, clean: jpeg })),
    ...pngs(png).map((file) => ({ ...file, clean: png })),
    ...gifs(gif).map((file) => ({ ...file, clean: gif })),
    ...(await webps(still)).map((file) => ({ ...file, clean: still }))
  ]
}

const jpegs = (jpeg: Buffer): ReadonlyArray<ManyParts> => {
  const [start, rest] = [jpeg.subarray(0, 2), jpeg.subarray(2)]
  const before = (part: Uint8Array) => Buffer.concat([start, repeated(part, jpeg.length), rest])
  const after = (part: Uint8Array) => Buffer.concat([jpeg, repeated(part, jpeg.length)])
  return [
    { what: "JPEG of EXIF segments", bytes: before(segment(0xe1, Buffer.alloc(0))) },
    { what: "JPEG of comments", bytes: before(segment(0xfe, Buffer.alloc(0))) },
    { what: "JPEG of colour profiles", bytes: before(segment(0xe2, ascii("ICC_PROFILE\0\x01\x01 "))) },
    { what: "JPEG of fill bytes", bytes: before(Buffer.from([0xff])) },
    { what: "JPEG of repeated starts", bytes: before(Buffer.from([0xff, 0xd8])) },
    { what: "JPEG of several pictures", bytes: after(jpeg) },
    { what: "JPEG before fill bytes", bytes: after(Buffer.from([0xff])) }
  ]
}

const pngs = (png: Buffer): ReadonlyArray<ManyParts> => {
  const [ihdr, rest] = [png.subarray(0, 33), png.subarray(33)]
  const before = (part: Uint8Array) => Buffer.concat([ihdr, repeated(part, png.length), rest])
  const frame = Buffer.concat([
    pngChunk("fcTL", Buffer.concat([be32(0), be32(1), be32(1), be32(0), be32(0), Buffer.alloc(6)])),
    pngChunk("fdAT", Buffer.concat([be32(1), deflateSync(Buffer.alloc(4))]))
  ])
  const end = png.length - 12
  return [
    ...["tEXt", "zTXt", "iTXt", "iCCP", "abCd"].map((type) => ({
      what: `PNG of empty chunks ${type}`,
      bytes: before(pngChunk(type, Buffer.alloc(0)))
    })),
    {
      what: "PNG of frames",
      bytes: Buffer.concat([png.subarray(0, end), repeated(frame, png.length), png.subarray(end)])
    },
    {
      what: "PNG of a compressed text of gigabytes",
      bytes: before(pngChunk("zTXt", Buffer.concat([ascii("k\0\0"), deflateSync(Buffer.alloc(50_000_000))])))
    }
  ]
}

const gifs = (gif: Buffer): ReadonlyArray<ManyParts> => {
  const canvas = 13 + ((gif.readUInt8(10) & 0x80) === 0 ? 0 : 3 << ((gif.readUInt8(10) & 7) + 1))
  const before = (part: Uint8Array) =>
    Buffer.concat([gif.subarray(0, canvas), repeated(part, gif.length), gif.subarray(canvas)])
  const end = gif.length - 1
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return [
    { what: "GIF of comments", bytes: before(Buffer.from([0x21, 0xfe, 0])) },
    { what: "GIF of application extensions", bytes: before(Buffer.from([0x21, 0xff, 1, 65, 0])) },
    { what: "GIF of graphic controls", bytes: before(Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0])) },
    {
      what: "GIF of frames",
      bytes: Buffer.concat([gif.subarray(0, end), repeated(frame, gif.length), gif.subarray(end)])
    },
    { what: "GIF of empty blocks", bytes: Buffer.concat([gif.subarray(0, end), repeated(Buffer.alloc(1), gif.length)]) }
  ]
}

const webps = async (still: Buffer): Promise<ReadonlyArray<ManyParts>> => {
  const { height, width } = await sharp(still).metadata()
  const bitstream = still.subarray(12)
  const tiny = (await white(1).webp({ lossless: true }).toBuffer()).subarray(12)
  const frame = (side: readonly [number, number], data: Uint8Array) =>
    webpChunk("ANMF", Buffer.concat([Buffer.alloc(6), le24(side[0] - 1), le24(side[1] - 1), le32(1), data]))
  const animation = webp.bind(undefined, vp8x(width, height, 2), webpChunk("ANIM", Buffer.alloc(6)))
  const empty = webpChunk("XXXX", Buffer.alloc(0))
  const more = (part: Uint8Array) => repeated(part, still.length)
  return [
    { what: "WebP of frames", bytes: animation(frame([width, height], bitstream), more(frame([1, 1], tiny))) },
    { what: "WebP of unknown chunks", bytes: webp(vp8x(width, height), more(empty), bitstream) },
    {
      what: "WebP of EXIF chunks",
      bytes: webp(vp8x(width, height, 8), bitstream, more(webpChunk("EXIF", Buffer.alloc(0))))
    },
    { what: "WebP of bitstreams", bytes: webp(vp8x(width, height), more(bitstream)) },
    {
      what: "WebP of chunks in a frame",
      bytes: animation(frame([width, height], Buffer.concat([more(empty), bitstream])))
    }
  ]
}

/** Files whose parts are all needed for the pixels, so that they are refused. */
export const needlessParts = (): ReadonlyArray<ManyParts> => {
  const size = Buffer.concat([be32(8), be32(8), Buffer.from([8, 0, 0, 0, 0])])
  const sof = Buffer.concat([Buffer.from([8]), be16(8), be16(8), Buffer.from([1, 1, 0x11, 0])])
  const start = Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xc2, sof)])
  const framesWithout = repeated(webpChunk("ANMF", Buffer.alloc(16)), 0)
  return [
    {
      what: "PNG of empty chunks of samples",
      bytes: Buffer.concat([
        Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        pngChunk("IHDR", size),
        repeated(pngChunk("IDAT", Buffer.alloc(0)), 0)
      ])
    },
    ...([["tables", 0xc4], ["quantizers", 0xdb], ["restart intervals", 0xdd], ["scans", 0xda]] as const).map(
      ([what, marker]) => ({
        what: `JPEG of ${what}`,
        bytes: Buffer.concat([start, repeated(segment(marker, Buffer.from([1, 1, 0, 1, 63, 0])), 0)])
      })
    ),
    { what: "WebP of empty frames", bytes: webp(vp8x(8, 8, 2), webpChunk("ANIM", Buffer.alloc(6)), framesWithout) }
  ]
}

/** A progressive JPEG in grey. Each scan after the first codes every block in 20 to 40 bytes. */
export const progressiveJpeg = (width: number, height: number, scans: number): Uint8Array => {
  const table = (kind: number, symbol: number) =>
    segment(0xc4, Buffer.from([kind, 1, ...Array<number>(15).fill(0), symbol]))
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  const scan = segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0]))
  // Each code ends the bands of 32 767 blocks: a zero, then 14 ones. Stuffed zeros follow bytes of ones.
  const ends = "0".concat("1".repeat(14)).repeat(Math.ceil(blocks / 32_767))
  const bytes = Array.from(
    { length: Math.ceil(ends.length / 8) },
    (_, index) => Number.parseInt(ends.slice(8 * index, 8 * index + 8).padEnd(8, "1"), 2)
  )
  const data = Buffer.from(bytes.flatMap((byte) => byte === 0xff ? [byte, 0] : [byte]))
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    segment(0xc2, Buffer.concat([Buffer.from([8]), be16(height), be16(width), Buffer.from([1, 1, 0x11, 0])])),
    table(0x00, 0),
    table(0x10, 0xe0),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...Array<Buffer>(scans - 1).fill(Buffer.concat([scan, data])),
    Buffer.from([0xff, 0xd9])
  ])
}

/** A GIF whose codes stand for up to 4096 pixels each, with `total` bytes of codes. */
export const longCodesGif = (side: number, total: number): Uint8Array => {
  const codes = Buffer.alloc(total)
  let at = 0
  const put = (code: number, size: number): void => {
    for (let bit = 0; bit < size; bit++, at++) {
      if ((code >> bit) & 1) codes[at >> 3] = (codes[at >> 3] ?? 0) | (1 << (at & 7))
    }
  }
  const hasRoom = () => at + 12 <= 8 * total
  while (hasRoom()) {
    put(256, at === 0 ? 9 : 12)
    put(0, 9)
    // Each of these codes is defined by itself: it stands for one pixel more than the one before.
    for (let next = 258, size = 9; next < 4_096 && hasRoom(); next++) {
      put(next, size)
      if (next + 1 === 1 << size && size < 12) size++
    }
    for (let count = 0; count < 4_000 && hasRoom(); count++) put(4_095, 12)
  }
  const blocks = Array.from({ length: Math.ceil(total / 255) }, (_, index) => {
    const block = codes.subarray(255 * index, 255 * (index + 1))
    return Buffer.concat([Buffer.from([block.length]), block])
  })
  return Buffer.concat([
    ascii("GIF89a"),
    le16(side),
    le16(side),
    Buffer.from([0xf7, 0, 0]),
    Buffer.alloc(768, 200),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    le16(side),
    le16(side),
    Buffer.from([0, 8]),
    ...blocks,
    Buffer.from([0, 0x3b])
  ])
}
