import sharp, { type Sharp } from "sharp"
import { type Grey, type Samples, toGrey } from "./grey.ts"
import type { NativeSection } from "./native-section.ts"
import { collectFindings, decoding, type Findings, type ReadTask, Undecodable } from "./reading.ts"
import { readQrTexts } from "./zxing.ts"

// The workers already run in parallel, so libvips must not. Its cache is off, because every picture is different.
sharp.concurrency(1)
sharp.cache(false)

/** Longest side of the picture in most passes. */
const SIDE = 1600

/** Most pixels of the pass at full size. zxing holds several copies of a picture. */
const MAX_FULL_SIZE_PIXELS = 6_000_000

/** Most pixels of the enlarged pass. */
const MAX_ENLARGED_PIXELS = 7_000_000

/**
 * Runs libvips, which cannot be stopped from outside, with a timeout. A timeout fails with the reason `deadline`: a slow
 * machine must not make a picture corrupt.
 */
export const withTimeout = async <A>(image: Sharp, seconds: number, run: (image: Sharp) => Promise<A>): Promise<A> => {
  try {
    return await run(image.timeout({ seconds }))
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw message.startsWith("timeout:") ? new Undecodable("deadline", message, { cause }) : cause
  }
}

/** White margin in pixels, for codes that were cut off without their quiet zone. */
const MARGIN = 40

/** A picture in which another QR text was found is sharp: an early pass would have found the slip's code too. */
const MAX_PASSES_AFTER_ANOTHER_TEXT = 4

/**
 * Reads a picture in several passes until one finds a slip. The order was measured: the first pass reads nine
 * pictures of ten. Each further pass costs less, or reads more of the remaining pictures, than the passes after it.
 */
export const readNative = async (task: ReadTask, section: NativeSection): Promise<Findings> => {
  const picture = openPicture(task, section)
  const { add, findings } = collectFindings()
  for (const [index, pass] of passes.entries()) {
    if (index >= MAX_PASSES_AFTER_ANOTHER_TEXT && findings().texts.length > 0) break
    const grey = await pass(picture)
    if (grey !== undefined && add(await readQrTexts(grey))) break
  }
  return findings()
}

type Pass = (picture: Picture) => Promise<Grey | undefined>

const enlarged = async (picture: Picture) => {
  const grey = await picture.reduced()
  const factor = Math.min(2, Math.sqrt(MAX_ENLARGED_PIXELS / (grey.width * grey.height)))
  return picture.change(grey, (image) => image.resize({ width: Math.round(grey.width * factor), kernel: "cubic" }))
}

const changed = (transform: (image: Sharp) => Sharp): Pass => async (picture) =>
  picture.change(await picture.reduced(), transform)

const passes: ReadonlyArray<Pass> = [
  (picture) => picture.reduced(),
  enlarged,
  (picture) => picture.fullSize(),
  changed((image) => image.sharpen({ sigma: 2, m1: 4, m2: 4 })),
  changed((image) => image.extend({ top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN, background: "#fff" })),
  changed((image) => image.blur(1)),
  changed((image) => image.blur(2)),
  async (picture) => picture.change(await enlarged(picture), (image) => image.sharpen({ sigma: 3, m1: 4, m2: 4 })),
  (picture) => picture.plane((red) => red),
  (picture) => picture.plane((_, __, blue) => blue),
  async (picture) => {
    const plane = await picture.plane((red, green) => 128 + ((red - green) >> 1))
    return plane === undefined ? undefined : picture.change(plane, (image) => image.normalise())
  },
  changed((image) => image.sharpen({ sigma: 4, m1: 5, m2: 5 })),
  changed((image) => image.gamma(2.2))
]

/** A picture in the forms that the passes use. Each form is made when a pass first needs it. */
interface Picture {
  /** At most `SIDE` long. */
  readonly reduced: () => Promise<Grey>
  /** At most `MAX_FULL_SIZE_PIXELS`; undefined when `reduced` has the full size. */
  readonly fullSize: () => Promise<Grey | undefined>
  /** One value per pixel, for codes on coloured ground; undefined when the picture has no colours. */
  readonly plane: (value: (red: number, green: number, blue: number) => number) => Promise<Grey | undefined>
  readonly change: (grey: Grey, transform: (image: Sharp) => Sharp) => Promise<Grey>
}

/** Opens the first frame of a picture, upright and on white. Its forms fail with `Undecodable`. */
const openPicture = ({ bytes, callSeconds, header }: ReadTask, section: NativeSection): Picture => {
  const longest = Math.max(header.width, header.height)
  const pixelCount = header.width * header.height
  const open = (side: number): Sharp => {
    const image = sharp(bytes, { limitInputPixels: pixelCount, failOn: "truncated", sequentialRead: true })
      .autoOrient()
      .flatten({ background: "#fff" })
    return side < longest ? image.resize(side, side, { fit: "inside" }) : image
  }
  const pixels = async (image: Sharp): Promise<Samples & { readonly data: Uint8Array }> => {
    const { data, info } = await section(() =>
      withTimeout(image, callSeconds, (limited) => limited.raw().toBuffer({ resolveWithObject: true }))
    )
    return { data, width: info.width, height: info.height, channels: info.channels }
  }

  let samples: Promise<Samples> | undefined
  let grey: Promise<Grey> | undefined
  const inColour = () => samples ??= decoding(() => pixels(open(SIDE).toColourspace("srgb")))
  return {
    // libvips would convert to grey in linear light, which takes twice as long and finds no more codes.
    reduced: () => grey ??= inColour().then(toGrey),
    fullSize: async () => {
      if (longest <= SIDE) return undefined
      const shrink = Math.min(1, Math.sqrt(MAX_FULL_SIZE_PIXELS / pixelCount))
      return decoding(() => pixels(open(Math.round(longest * shrink)).toColourspace("b-w")))
    },
    plane: async (value) => {
      const { channels, data, height, width } = await inColour()
      if (channels < 3) return undefined
      const plane = new Uint8Array(width * height)
      for (let to = 0, from = 0; to < plane.length; to++, from += channels) {
        plane[to] = value(data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0)
      }
      return { data: plane, width, height }
    },
    change: ({ data, height, width }, transform) =>
      pixels(transform(sharp(data, { raw: { width, height, channels: 1 } })).toColourspace("b-w"))
  }
}
