import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import decode, { init } from "@jsquash/webp/decode.js"
import { type Grey, rgbaToGrey } from "../grey.ts"
import { FRAME_FIELDS, type WebpChunk, webpChunks } from "../headers/webp-chunks.ts"

/** Decodes a WebP, of an animation the first frame, on white. */
export const decodeWebp = async (bytes: Uint8Array): Promise<Grey> => {
  await (ready ??= prepare())
  const { data, height, width } = await decode(still(bytes).buffer)
  return rgbaToGrey(data, width, height)
}

let ready: Promise<void> | undefined

/** Loads the binary from the package: left to itself the library fetches it from where its script lies. */
const prepare = async (): Promise<void> => {
  const binary = await readFile(fileURLToPath(import.meta.resolve("@jsquash/webp/codec/dec/webp_dec.wasm")))
  await init(await WebAssembly.compile(Uint8Array.from(binary)))
}

/** The picture as a file of its own memory; of an animation, which the decoder does not take, the first frame. */
const still = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const frame of webpChunks(view)) {
    if (frame.type !== "ANMF") continue
    // Its transparency, a chunk of its own beside a lossy picture, is left behind: what is below it is unknown here.
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
