import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { inflateSync } from "node:zlib"
import decode, { init } from "@jsquash/webp/decode.js"
import type { Samples } from "./grey.ts"
import { IDAT, pngChunks } from "./headers/png.ts"
import { type CheckedPicture, decoding } from "./reading.ts"

/** Most decoded bytes that image-js gets: it takes 12 bytes for each sample of a JPEG, and 3 for each of a PNG. */
const MAX_IMAGE_JS_BYTES = { jpeg: 12_000_000, png: 40_000_000 }

/**
 * Decodes a picture; zxing returns only its texts. Returns undefined when image-js cannot decode the picture: it does not
 * support GIF, and throws on some broken metadata. Fails with `Undecodable` for a corrupt WebP.
 */
export const decodePortable = async (picture: CheckedPicture): Promise<Samples | undefined> => {
  const { bytes, header: { format, sampleBytes } } = picture
  if (format === "webp") return decoding(() => decodeWebp(bytes))
  if (format === "gif" || sampleBytes > MAX_IMAGE_JS_BYTES[format]) return undefined
  // Loaded on demand: most pictures need no second decoder, and image-js takes 0.2 s to load.
  const { decodeJpeg, decodePng } = await import("image-js")
  try {
    if (format === "png") assertInflatedSize(picture)
    return (format === "jpeg" ? decodeJpeg : decodePng)(bytes).getRawImage()
  } catch {
    return undefined
  }
}

/** Throws when a PNG inflates to more than its samples: image-js would inflate it without limit. */
const assertInflatedSize = ({ bytes, header }: CheckedPicture): void => {
  const chunks = [...pngChunks(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))]
  const data = chunks.filter(({ type }) => type === IDAT).map(({ from, to }) => bytes.subarray(from, to))
  // Each row has a filter byte and up to one byte of padding; interlacing makes fewer than 2 * height + 7 rows.
  inflateSync(Buffer.concat(data), { maxOutputLength: header.sampleBytes + 4 * header.height + 14 })
}

/** The decoder does not accept animations: `bytes` holds only the first picture (`decoderFile`). */
const decodeWebp = async (bytes: Uint8Array): Promise<Samples> => {
  await (ready ??= prepare())
  const { data, height, width } = await decode(Uint8Array.from(bytes).buffer)
  return { data, width, height, channels: 4 }
}

let ready: Promise<void> | undefined

/** Loads the WebAssembly module from the package. By default the library fetches it from the URL of its script. */
const prepare = async (): Promise<void> => {
  const binary = await readFile(createRequire(import.meta.url).resolve("@jsquash/webp/codec/dec/webp_dec.wasm"))
  await init(await WebAssembly.compile(Uint8Array.from(binary)))
}
