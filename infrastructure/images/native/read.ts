import { type Findings, makeNotes } from "../findings.ts"
import type { Grey } from "../grey.ts"
import type { NativeSection } from "../native-section.ts"
import type { Task } from "../task.ts"
import { openPicture, type Picture } from "./picture.ts"
import { readQrTexts } from "./zxing.ts"

/** After another QR text was seen the picture is sharp enough: a slip's code would have been seen by then. */
const LOOKS_AFTER_ANOTHER_TEXT = 4

/** Most pixels of the enlarged look. */
const MAX_ENLARGED_PIXELS = 7_000_000

/** White around the picture, for codes that were cut off without their quiet zone. */
const MARGIN = 40

/**
 * Looks at a picture in several forms until a slip is read. The order was measured: the first look reads nine
 * pictures of ten, and each further one costs less, or reads more of the rest, than those behind it.
 */
export const readNative = async (task: Task, section: NativeSection): Promise<Findings> => {
  const picture = openPicture(task, section)
  const notes = makeNotes()
  for (const [index, look] of looks.entries()) {
    if (notes.hasText() && index >= LOOKS_AFTER_ANOTHER_TEXT) break
    const grey = await look(picture)
    if (grey !== undefined && notes.add(await readQrTexts(grey))) break
  }
  return notes.findings()
}

type Look = (picture: Picture) => Promise<Grey | undefined>

const enlarged = async (picture: Picture) => {
  const grey = await picture.reduced()
  const factor = Math.min(2, Math.sqrt(MAX_ENLARGED_PIXELS / (grey.width * grey.height)))
  return picture.change(grey, (at) => at.resize({ width: Math.round(grey.width * factor), kernel: "cubic" }))
}

const blurred = (sigma: number): Look => async (picture) =>
  picture.change(await picture.reduced(), (at) => at.blur(sigma))

const looks: ReadonlyArray<Look> = [
  (picture) => picture.reduced(),
  enlarged,
  (picture) => picture.native(),
  async (picture) => picture.change(await picture.reduced(), (at) => at.sharpen({ sigma: 2, m1: 4, m2: 4 })),
  async (picture) =>
    picture.change(
      await picture.reduced(),
      (at) => at.extend({ top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN, background: "#fff" })
    ),
  blurred(1),
  blurred(2),
  async (picture) => picture.change(await enlarged(picture), (at) => at.sharpen({ sigma: 3, m1: 4, m2: 4 })),
  (picture) => picture.plane("red"),
  (picture) => picture.plane("blue"),
  async (picture) => {
    const plane = await picture.plane("red-green")
    return plane === undefined ? undefined : picture.change(plane, (at) => at.normalise())
  },
  async (picture) => picture.change(await picture.reduced(), (at) => at.sharpen({ sigma: 4, m1: 5, m2: 5 })),
  async (picture) => picture.change(await picture.reduced(), (at) => at.gamma(2.2))
]
