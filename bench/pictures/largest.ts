import { Result } from "effect"
import { createHash } from "node:crypto"
import sharp, { type Sharp } from "sharp"
import { checkHeader } from "../../infrastructure/adapters/pictures/header.ts"

export interface LargePicture {
  readonly what: string
  readonly bytes: Uint8Array
}

/**
 * The largest pictures that the service accepts, in the formats that cost a decoder most. None holds a QR code, so the
 * reader tries all its methods on each.
 */
export const largestPictures = async (): Promise<ReadonlyArray<LargePicture>> => {
  const pictures: Array<LargePicture> = []
  for (const [form, draw] of forms) pictures.push(await largest(form, draw))
  return pictures
}

type Draw = (picture: Sharp) => Sharp

/** Side lengths in pixels to try, from 25 megapixels down. */
const SIDES = [5_000, 4_500, 4_000, 3_500, 3_000, 2_800, 2_500, 2_000, 1_500]

const largest = async (form: string, draw: Draw): Promise<LargePicture> => {
  for (const side of SIDES) {
    const bytes = new Uint8Array(await draw(squares(side)).toBuffer())
    if (Result.isSuccess(checkHeader(bytes))) return { what: `${side * side / 1e6} megapixels of ${form}`, bytes }
  }
  throw new Error(`no size of ${form} is accepted`)
}

const forms: ReadonlyArray<readonly [form: string, draw: Draw]> = [
  ["JPEG", (picture) => picture.jpeg({ quality: 50 })],
  [
    "JPEG, progressive, 4:4:4",
    (picture) => picture.jpeg({ quality: 50, progressive: true, chromaSubsampling: "4:4:4" })
  ],
  ["PNG", (picture) => picture.png()],
  [
    "PNG, 16 bit, alpha, interlaced",
    (picture) => picture.ensureAlpha(0.5).toColourspace("rgb16").png({ progressive: true })
  ],
  ["WebP", (picture) => picture.webp({ quality: 50 })],
  ["WebP, lossless, alpha", (picture) => picture.ensureAlpha(0.5).webp({ lossless: true, effort: 2 })],
  ["GIF", (picture) => picture.gif({ effort: 1, dither: 0, colours: 16 })]
]

/** Number of squares on a side of the picture. */
const ACROSS = 100

/** A picture of squares in pseudo-random colours, the same in every run. */
const squares = (side: number): Sharp => {
  const length = ACROSS * ACROSS * 3
  const blocks = Array.from(
    { length: Math.ceil(length / 32) },
    (_, index) => createHash("sha256").update(String(index)).digest()
  )
  return sharp(Buffer.concat(blocks).subarray(0, length), { raw: { width: ACROSS, height: ACROSS, channels: 3 } })
    .resize(side, side, { kernel: "nearest" })
}
