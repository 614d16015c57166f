import { Result } from "effect"
import sharp from "sharp"
import { checkHeader, decoderFile } from "../../infrastructure/adapters/pictures/header.ts"
import { makeNativeState, nativeSection } from "../../infrastructure/adapters/pictures/native-section.ts"
import { readNative } from "../../infrastructure/adapters/pictures/native-reader.ts"
import { readQrTexts } from "../../infrastructure/adapters/pictures/zxing.ts"

/** Reads a picture with the native reader, without its workers. */
export const readHere = async (bytes: Uint8Array): Promise<unknown> => {
  const header = Result.getOrThrow(checkHeader(bytes))
  return readNative({ bytes: decoderFile(header), header, callSeconds: 60 }, section)
}

/** Reads a picture in one pass with the native reader's parts: sharp makes it grey, zxing-wasm reads it. */
export const readInOnePass = async (bytes: Uint8Array): Promise<unknown> => {
  const upright = sharp(bytes).autoOrient().flatten({ background: "#fff" }).toColourspace("b-w")
  const { data, info } = await upright.raw().toBuffer({ resolveWithObject: true })
  return readQrTexts({ data, width: info.width, height: info.height })
}

const section = nativeSection(makeNativeState(), () => {})
