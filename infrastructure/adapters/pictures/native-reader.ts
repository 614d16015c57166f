import sharp, { type Sharp } from "sharp"
import { type Grey, isTransparent, type Samples, toGrey } from "./grey.ts"
import { withEndMarker } from "./jpeg-end.ts"
import type { NativeSection } from "./native-section.ts"
import {
  collectFindings,
  decoding,
  type Findings,
  FINE_MARGIN,
  fineFactor,
  type Ground,
  GROUNDS,
  MAX_FINE_PIXELS,
  type ReadTask,
  REDUCED_SIDE,
  Undecodable
} from "./reading.ts"
import { readQrTexts } from "./zxing.ts"

// The workers already run in parallel, so libvips must not. Its cache is off, because every picture is different.
sharp.concurrency(1)
sharp.cache(false)

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

/**
 * Reads a picture in three passes until one finds a slip, and on a black ground too where it is transparent. Sharpening
 * takes four times as long as the other passes together, and few pictures need it.
 */
export const readNative = async (task: ReadTask, section: NativeSection): Promise<Findings> => {
  const picture = openPicture(task, section)
  const { add, findings } = collectFindings()
  for (const ground of GROUNDS) {
    if (ground === 0 && !isTransparent(await picture.samples())) break
    if (add(await readQrTexts(toGrey(await picture.samples(), ground)))) break
    const fine = await picture.fine(ground)
    if (add(await readQrTexts(fine))) break
    if (add(await readQrTexts(await picture.sharpened(fine)))) break
  }
  return findings()
}

/** A picture in the forms that the passes use. Each form is made when a pass first needs it. */
interface Picture {
  /** At most `REDUCED_SIDE` long. */
  readonly samples: () => Promise<Samples>
  /** About `MAX_FINE_PIXELS`: enlarged or reduced from all pixels, with a margin. */
  readonly fine: (ground: Ground) => Promise<Grey>
  readonly sharpened: (grey: Grey) => Promise<Grey>
}

const openGrey = ({ data, height, width }: Grey): Sharp => sharp(data, { raw: { width, height, channels: 1 } })

/** Opens the first frame of a picture, upright. Its forms fail with `Undecodable`. */
const openPicture = ({ bytes, callSeconds, header }: ReadTask, section: NativeSection): Picture => {
  const longest = Math.max(header.width, header.height)
  const pixelCount = header.width * header.height
  const file = header.format === "jpeg" ? withEndMarker(bytes) : bytes
  // Of a JPEG whose end marker was added, the last scan can be cut too. libvips then only warns.
  const failOn = file === bytes ? "truncated" : "warning"
  const pixels = async (image: Sharp): Promise<Samples & { readonly data: Uint8Array }> => {
    const { data, info } = await section(() =>
      withTimeout(image, callSeconds, (limited) => limited.raw().toBuffer({ resolveWithObject: true }))
    )
    return { data, width: info.width, height: info.height, channels: info.channels }
  }
  // Hot path: libvips would convert to grey in linear light, which takes twice as long and finds no more codes.
  // Guarded by `npm run bench -- reader`.
  const open = (side: number): Promise<Samples> => {
    const image = sharp(file, { limitInputPixels: pixelCount, failOn, sequentialRead: true })
      .autoOrient()
      .toColourspace("srgb")
    return decoding(() => pixels(side < longest ? image.resize(side, side, { fit: "inside" }) : image))
  }

  let reduced: Promise<Samples> | undefined
  let large: Promise<Samples> | undefined
  const samples = () => reduced ??= open(REDUCED_SIDE)
  const allSamples = () =>
    longest <= REDUCED_SIDE
      ? samples()
      : large ??= open(Math.round(longest * Math.min(1, Math.sqrt(MAX_FINE_PIXELS / pixelCount))))
  return {
    samples,
    fine: async (ground) => {
      const grey = toGrey(await allSamples(), ground)
      const { height, width } = grey
      const image = openGrey(grey)
        .resize({ width: Math.round(width * fineFactor({ width, height })), kernel: "cubic" })
        .extend({
          top: FINE_MARGIN,
          bottom: FINE_MARGIN,
          left: FINE_MARGIN,
          right: FINE_MARGIN,
          background: ground === 255 ? "#fff" : "#000"
        })
      return pixels(image.toColourspace("b-w"))
    },
    sharpened: (grey) => pixels(openGrey(grey).sharpen({ sigma: 1.5, m1: 2, m2: 2 }).toColourspace("b-w"))
  }
}
