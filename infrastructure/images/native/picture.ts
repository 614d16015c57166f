import sharp, { type Sharp } from "sharp"
import { MAX_IMAGE_PIXELS } from "../../../domain/slip/picture-limits.ts"
import { type Grey, luma } from "../grey.ts"
import type { NativeSection } from "../native-section.ts"
import type { Task } from "../task.ts"
import { decoding } from "../undecodable.ts"

// Workers are the parallelism; what libvips would keep between pictures is memory that no other picture needs.
sharp.concurrency(1)
sharp.cache(false)

/** Longest side of the picture that most looks are taken at. */
const SIDE = 1600

/** Most pixels of the look at native size; QR readers hold several copies of what they look at. */
const MAX_NATIVE_PIXELS = 6_000_000

/** libvips can't be stopped from outside, so it stops itself. */
const MAX_SECONDS = 5

export type Plane = "red" | "blue" | "red-green"

/** A picture in the forms that the looks want, each made when the first look asks for it. */
export interface Picture {
  /** At most `SIDE` long. */
  readonly reduced: () => Promise<Grey>
  /** As it came, or nearly; undefined when that is `reduced` already. */
  readonly native: () => Promise<Grey | undefined>
  /** One colour, for codes printed on coloured ground; undefined when the picture has no colours. */
  readonly plane: (plane: Plane) => Promise<Grey | undefined>
  /** A form of this picture in another form. */
  readonly change: (grey: Grey, how: (picture: Sharp) => Sharp) => Promise<Grey>
}

/** Opens a picture that the guard has let pass: upright, on white, first frame. Its forms fail with `Undecodable`. */
export const openPicture = ({ bytes, header }: Task, section: NativeSection): Picture => {
  const longest = Math.max(header.width, header.height)
  const open = (side: number): Sharp => {
    const picture = sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: "truncated", sequentialRead: true })
      .autoOrient()
      .flatten({ background: "#fff" })
    return side < longest ? picture.resize(side, side, { fit: "inside" }) : picture
  }
  const toGrey = (picture: Sharp) => pixels(picture.toColourspace("b-w"), section)

  let reduced: Promise<Pixels> | undefined
  let grey: Promise<Grey> | undefined
  const inColour = () => reduced ??= decoding(() => pixels(open(SIDE).toColourspace("srgb"), section))
  return {
    reduced: () => grey ??= inColour().then(brightness),
    native: async () => {
      if (longest <= SIDE) return undefined
      const shrink = Math.min(1, Math.sqrt(MAX_NATIVE_PIXELS / (header.width * header.height)))
      return decoding(() => toGrey(open(Math.round(longest * shrink))))
    },
    plane: async (plane) => {
      const colours = await inColour()
      return colours.channels < 3 ? undefined : planeOf(colours, plane)
    },
    change: ({ data, height, width }, how) => toGrey(how(sharp(data, { raw: { width, height, channels: 1 } })))
  }
}

interface Pixels extends Grey {
  readonly channels: number
}

const pixels = async (picture: Sharp, section: NativeSection): Promise<Pixels> => {
  const { data, info } = await section(() =>
    picture.timeout({ seconds: MAX_SECONDS }).raw().toBuffer({ resolveWithObject: true })
  )
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** Here, not in libvips: that goes by floating-point linear light, which takes twice as long and reads no better. */
const brightness = ({ channels, data, height, width }: Pixels): Grey => {
  if (channels < 3) return { data, width, height }
  const grey = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < grey.length; to++, from += channels) {
    grey[to] = luma(data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0)
  }
  return { data: grey, width, height }
}

const planeOf = ({ channels, data, height, width }: Pixels, plane: Plane): Grey => {
  const grey = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < grey.length; to++, from += channels) {
    const red = data[from] ?? 0
    const green = data[from + 1] ?? 0
    const blue = data[from + 2] ?? 0
    grey[to] = plane === "red" ? red : plane === "blue" ? blue : 128 + ((red - green) >> 1)
  }
  return { data: grey, width, height }
}
