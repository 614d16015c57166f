import { createRequire } from "node:module"
import type { QRCode } from "jsqr"
import type { Grey } from "../grey.ts"
import { covered } from "./forms.ts"

// A CommonJS module whose types and whose shape at run time disagree about the default export.
const jsQR: typeof import("jsqr").default = createRequire(import.meta.url)("jsqr")

/** Most codes of a picture that are read one after the other. */
const MAX_CODES = 3

/**
 * The texts of the QR codes that are found, up to three: the reader knows only one code a picture, so each is
 * covered once it is read. `inverted` also looks for light codes on dark, for twice the time.
 */
export const readQrTexts = (grey: Grey, inverted: boolean): ReadonlyArray<string> => {
  const options = { inversionAttempts: inverted ? "attemptBoth" : "dontInvert" } as const
  const texts: Array<string> = []
  let rest = grey
  while (texts.length < MAX_CODES) {
    const code = jsQR(asRgba(rest), rest.width, rest.height, options)
    if (code === null) break
    texts.push(code.data)
    rest = without(rest, code)
  }
  return texts
}

const without = (grey: Grey, { location }: QRCode): Grey => {
  const corners = [
    location.topLeftCorner,
    location.topRightCorner,
    location.bottomLeftCorner,
    location.bottomRightCorner
  ]
  const xs = corners.map(({ x }) => Math.round(x))
  const ys = corners.map(({ y }) => Math.round(y))
  return covered(grey, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys))
}

const asRgba = ({ data }: Grey): Uint8ClampedArray => {
  const rgba = new Uint8ClampedArray(4 * data.length).fill(255)
  for (let from = 0, to = 0; from < data.length; from++, to += 4) {
    rgba[to] = rgba[to + 1] = rgba[to + 2] = data[from] ?? 0
  }
  return rgba
}
