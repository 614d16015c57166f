import type { ImageFormat } from "../../../ports/slip-reader.ts"
import { type Findings, makeNotes } from "../findings.ts"
import type { Grey } from "../grey.ts"
import type { ImageHeader } from "../headers/size.ts"
import type { Task } from "../task.ts"
import { decoding, Undecodable } from "../undecodable.ts"
import { cropped, type Part, scaled, softened, stretched } from "./forms.ts"
import { decodeGif } from "./gif.ts"
import { decodeJpeg } from "./jpeg.ts"
import { readQrTexts } from "./jsqr.ts"
import { decodePng } from "./png.ts"
import { decodeWebp } from "./webp.ts"

/** Longest side that is looked at: the reader takes half a minute over a noisy photograph of full size. */
const SIDE = 1600

/** Longest side of the first look: it reads most pictures at a quarter of the cost of the second. */
const SMALL_SIDE = 800

/** No further look begins after so long: a picture without a code is to be an answer, not a missed deadline. */
const LOOKING_MILLIS = 2_000

/** Most pixels of a part that is worth doubling. */
const MAX_DOUBLED_PIXELS = 1_200_000

/** Parts in the order in which slips carry their code: below right, below left, above, the middle. */
const parts: ReadonlyArray<Part> = [
  { left: 0.4, top: 0.5, width: 0.6, height: 0.5 },
  { left: 0, top: 0.5, width: 0.6, height: 0.5 },
  { left: 0, top: 0, width: 0.6, height: 0.5 },
  { left: 0.4, top: 0, width: 0.6, height: 0.5 },
  { left: 0.2, top: 0.25, width: 0.6, height: 0.5 }
]

const decoders: Readonly<Record<ImageFormat, (bytes: Uint8Array) => Grey | Promise<Grey>>> = {
  jpeg: decodeJpeg,
  png: decodePng,
  gif: decodeGif,
  webp: decodeWebp
}

/** Most samples of a JPEG: its decoder makes an object of every block of 64 and takes 12 bytes for a sample. */
const MAX_JPEG_SAMPLES = 20_000_000

/** Most pixels of a WebP: its decoder takes 8 to 12 bytes for a pixel. */
const MAX_WEBP_PIXELS = 12_600_000

/** Looks at a picture in several forms until a slip is read. Nothing here is native code. */
export const readPortable = async ({ bytes, header }: Task): Promise<Findings> => {
  if (isTooLarge(header)) throw new Undecodable("too-many-pixels", `too large for the decoder of ${header.format}`)
  const notes = makeNotes()
  const picture = fitted(await decoding(() => decoders[header.format](bytes)), SIDE)
  const started = performance.now()
  for (const look of looks(picture)) {
    if (notes.add(look()) || performance.now() - started > LOOKING_MILLIS) break
  }
  return notes.findings()
}

const isTooLarge = ({ format, height, jpeg, width }: ImageHeader): boolean =>
  (jpeg !== undefined && jpeg.samples > MAX_JPEG_SAMPLES) || (format === "webp" && width * height > MAX_WEBP_PIXELS)

function* looks(picture: Grey): Generator<() => ReadonlyArray<string>> {
  yield () => readQrTexts(fitted(picture, SMALL_SIDE), false)
  // Before the picture as it is: noise looks like thousands of finder patterns, and each of them is examined.
  yield () => readQrTexts(softened(stretched(picture)), false)
  yield () => readQrTexts(picture, true)
  for (const part of parts) {
    const detail = stretched(cropped(picture, part))
    yield () => readQrTexts(detail, true)
    if (detail.width * detail.height <= MAX_DOUBLED_PIXELS) yield () => readQrTexts(scaled(detail, 2), false)
  }
}

const fitted = (grey: Grey, side: number): Grey => {
  const longest = Math.max(grey.width, grey.height)
  return longest <= side ? grey : scaled(grey, side / longest)
}
