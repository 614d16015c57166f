import { createRequire } from "node:module"
import { blurred, enlarged, fitted, type Grey, stretched, withMargin } from "./grey.ts"
import { decodePortable } from "./portable-decoders.ts"
import { type CheckedPicture, collectFindings, type Findings, Undecodable } from "./reading.ts"
import { readQrTexts, readQrTextsOfFile } from "./zxing.ts"

// A CommonJS module whose types declare a default export that it does not have at run time.
const jsQR: typeof import("jsqr").default = createRequire(import.meta.url)("jsqr")

/** Most decoded bytes of a file that zxing decodes; more could exceed the memory limit of the module. */
const MAX_SAMPLE_BYTES = 100_000_000

/** Most decoded bytes of a WebP: its decoder takes 2 to 3 bytes for each. */
const MAX_WEBP_BYTES = 50_000_000

/** Longest side of the decoded picture. jsQR takes half a minute for a noisy photograph at full size. */
const SIDE = 1600

/** Most pixels of the enlarged pass. */
const MAX_ENLARGED_PIXELS = 7_000_000

/** White margin in pixels, for codes that were cut off without their quiet zone. */
const MARGIN = 40

/**
 * Reads a picture without native code, in several passes until one finds a slip. zxing reads the file itself first.
 * The further passes need a decoded picture; they read one slip in ten.
 */
export const readPortable = async (checked: CheckedPicture): Promise<Findings> => {
  const { bytes, header } = checked
  const isWebp = header.format === "webp"
  if (header.sampleBytes > (isWebp ? MAX_WEBP_BYTES : MAX_SAMPLE_BYTES)) {
    throw new Undecodable("too-many-pixels", `too large for the decoder of ${header.format}`)
  }
  const { add, findings } = collectFindings()
  if (!isWebp && add(await readQrTextsOfFile(bytes))) return findings()
  const decoded = await decodePortable(checked)
  if (decoded === undefined) return findings()

  const picture = fitted(decoded, SIDE)
  for (const pass of passes) {
    if (add(await pass(picture))) break
  }
  return findings()
}

type Pass = (picture: Grey) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>

const passes: ReadonlyArray<Pass> = [
  (picture) => readQrTexts(withMargin(picture, MARGIN)),
  (picture) => {
    const factor = Math.min(2, Math.sqrt(MAX_ENLARGED_PIXELS / (picture.width * picture.height)))
    return readQrTexts(enlarged(picture, factor))
  },
  // Blurred, because jsQR examines each speck of noise as a possible corner of a code.
  (picture) => readWithJsQr(blurred(stretched(picture)))
]

const readWithJsQr = ({ data, height, width }: Grey): ReadonlyArray<string> => {
  const rgba = new Uint8ClampedArray(4 * data.length).fill(255)
  for (let from = 0, to = 0; from < data.length; from++, to += 4) {
    rgba[to] = rgba[to + 1] = rgba[to + 2] = data[from] ?? 0
  }
  const code = jsQR(rgba, width, height, { inversionAttempts: "dontInvert" })
  return code === null ? [] : [code.data]
}
