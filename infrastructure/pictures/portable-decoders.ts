import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import decode, { init } from "@jsquash/webp/decode.js"
import { type Grey, toGrey } from "./grey.ts"
import { FRAME_FIELDS, type WebpChunk, webpChunks } from "./headers/webp.ts"
import { decoding, type ReadTask } from "./reading.ts"

/**
 * Decodes a picture to grey where zxing gives only its texts. Returns undefined when image-js cannot decode the
 * picture: it knows no GIF and throws on some broken metadata. Fails with `Undecodable` for a corrupt WebP.
 */
export const decodePortable = async ({ bytes, header }: ReadTask): Promise<Grey | undefined> => {
  if (header.format === "webp") return decoding(() => decodeWebp(bytes))
  if (header.format === "gif") return undefined
  // Loaded on demand: most pictures need no second decoder, and image-js takes 0.2 s to load.
  const { decodeJpeg, decodePng } = await import("image-js")
  try {
    return toGrey((header.format === "jpeg" ? decodeJpeg : decodePng)(bytes).getRawImage())
  } catch {
    return undefined
  }
}

/** Decodes a WebP; of an animation the first frame. */
const decodeWebp = async (bytes: Uint8Array): Promise<Grey> => {
  await (ready ??= prepare())
  const { data, height, width } = await decode(withoutAnimation(bytes).buffer)
  return toGrey({ data, width, height, channels: 4 })
}

let ready: Promise<void> | undefined

/** Loads the WebAssembly module from the package. By default the library fetches it from the URL of its script. */
const prepare = async (): Promise<void> => {
  const binary = await readFile(createRequire(import.meta.url).resolve("@jsquash/webp/codec/dec/webp_dec.wasm"))
  await init(await WebAssembly.compile(Uint8Array.from(binary)))
}

/** A copy of the file; of an animation, which the decoder does not accept, a file of the first frame. */
const withoutAnimation = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const frame of webpChunks(view)) {
    if (frame.type !== "ANMF") continue
    // The alpha chunk of a lossy frame is left out: nothing is below the first frame.
    for (const chunk of webpChunks(view, frame.from + FRAME_FIELDS, frame.to)) {
      if (chunk.type === "VP8 " || chunk.type === "VP8L") return asFile(bytes, chunk)
    }
  }
  return Uint8Array.from(bytes)
}

const asFile = (bytes: Uint8Array, { from, to }: WebpChunk): Uint8Array<ArrayBuffer> => {
  const chunk = bytes.subarray(from - 8, to + ((to - from) & 1))
  const file = new Uint8Array(12 + chunk.length)
  file.set(new TextEncoder().encode("RIFF\0\0\0\0WEBP"))
  new DataView(file.buffer).setUint32(4, 4 + chunk.length, true)
  file.set(chunk, 12)
  return file
}
