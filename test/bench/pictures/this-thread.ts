import { Result } from "effect"
import sharp from "sharp"
import { guard } from "../../../infrastructure/images/guard.ts"
import { makeStanding, nativeSection } from "../../../infrastructure/images/native-section.ts"
import { readNative } from "../../../infrastructure/images/native/read.ts"
import { readQrTexts } from "../../../infrastructure/images/native/zxing.ts"

/** The native reader without its workers. */
export const readHere = async (bytes: Uint8Array): Promise<unknown> =>
  readNative({ bytes, header: Result.getOrThrow(guard(bytes)) }, section)

/** What the native reader is made of, used once: sharp makes the picture grey, zxing-wasm looks at it as it is. */
export const readInOnePass = async (bytes: Uint8Array): Promise<unknown> => {
  const upright = sharp(bytes).autoOrient().flatten({ background: "#fff" }).toColourspace("b-w")
  const { data, info } = await upright.raw().toBuffer({ resolveWithObject: true })
  return readQrTexts({ data, width: info.width, height: info.height })
}

const section = nativeSection(makeStanding(), () => {})
