import {
  blurred,
  enlarged,
  fitted,
  type Grey,
  isTransparent,
  type Samples,
  sharpened,
  stretched,
  toGrey,
  withMargin
} from "./grey.ts"
import { withEndMarker } from "./jpeg-end.ts"
import { decodePortable } from "./portable-decoders.ts"
import {
  type CheckedPicture,
  collectFindings,
  type Findings,
  FINE_MARGIN,
  fineFactor,
  type Ground,
  GROUNDS,
  MAX_FINE_PIXELS,
  REDUCED_SIDE,
  Undecodable
} from "./reading.ts"
import { readQrTexts, readQrTextsOfFile } from "./zxing.ts"

/** Most decoded bytes of a file that zxing decodes; more could exceed the memory limit of the module. */
const MAX_SAMPLE_BYTES = 100_000_000

/** Most decoded bytes of a WebP: its decoder takes 2 to 3 bytes for each. */
const MAX_WEBP_BYTES = 50_000_000

/** Margin in pixels of the reduced pass, for codes that were cut off without their quiet zone. */
const MARGIN = 40

/**
 * Reads a picture without native code, in four passes until one finds a slip, and on a black ground too where it is
 * transparent. zxing reads the file itself first. The further passes need a decoded picture; they read one slip in ten.
 */
export const readPortable = async ({ bytes: given, header }: CheckedPicture): Promise<Findings> => {
  const bytes = header.format === "jpeg" ? withEndMarker(given) : given
  const isWebp = header.format === "webp"
  if (header.sampleBytes > (isWebp ? MAX_WEBP_BYTES : MAX_SAMPLE_BYTES)) {
    throw new Undecodable("too-many-pixels", `too large for the decoder of ${header.format}`)
  }
  const { add, findings } = collectFindings()
  if (!isWebp && add(await readQrTextsOfFile(bytes))) return findings()
  const samples = await decodePortable({ bytes, header })
  if (samples === undefined) return findings()
  for (const ground of GROUNDS) {
    if (ground === 0 && !isTransparent(samples)) break
    if (await addPasses(samples, ground, add)) break
  }
  return findings()
}

/** Returns whether a pass found a slip. */
const addPasses = async (
  samples: Samples,
  ground: Ground,
  add: (texts: ReadonlyArray<string>) => boolean
): Promise<boolean> => {
  const grey = toGrey(samples, ground)
  const reduced = fitted(grey, REDUCED_SIDE)
  return add(await readQrTexts(withMargin(reduced, MARGIN, ground)))
    || add(await readQrTexts(fine(grey, ground)))
    // Against noise.
    || add(await readQrTexts(blurred(stretched(reduced))))
}

const SHARPNESS = 4

const fine = (grey: Grey, ground: Ground): Grey => {
  const shrink = Math.min(1, Math.sqrt(MAX_FINE_PIXELS / (grey.width * grey.height)))
  const base = fitted(grey, Math.round(Math.max(grey.width, grey.height) * shrink))
  return sharpened(withMargin(enlarged(base, fineFactor(base)), FINE_MARGIN, ground), SHARPNESS)
}
