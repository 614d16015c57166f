import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { brotliCompressSync, gzipSync } from "node:zlib"

/** The encodings that files are sent in, the smaller one first. */
export const encodings = ["br", "gzip"] as const
export type Encoding = (typeof encodings)[number]

/** A file that pages load. */
export interface Asset {
  /** Contains a digest of the content, so that browsers may keep the file. */
  readonly path: string
  readonly contentType: string
  readonly bytes: Uint8Array
  /** The content in an encoding, compressed once; undefined for files that are compressed already. */
  readonly encoded: (encoding: Encoding) => Uint8Array | undefined
}

const compress: Readonly<Record<Encoding, (bytes: Uint8Array) => Uint8Array>> = {
  br: (bytes) => brotliCompressSync(bytes),
  gzip: (bytes) => gzipSync(bytes)
}

/** Text in UTF-8. */
const isText = (contentType: string): boolean => !/^(?:image|font)\//u.test(contentType) || contentType.includes("svg")

/** Pictures other than SVG are compressed in themselves. Outlines of a font (TrueType) are not. */
const isCompressible = (contentType: string): boolean => isText(contentType) || contentType === "font/ttf"

/** A file that pages below `base` load, such as `/console`. */
export const makeAsset = (base: string, name: string, contentType: string, bytes: Uint8Array): Asset => {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16)
  const compressed = new Map<Encoding, Uint8Array>()
  return {
    path: `${base}/assets/${digest}/${name}`,
    contentType: isText(contentType) ? `${contentType}; charset=utf-8` : contentType,
    bytes,
    encoded: (encoding) => {
      if (!isCompressible(contentType)) return undefined
      const content = compressed.get(encoding) ?? compress[encoding](bytes)
      compressed.set(encoding, content)
      return content
    }
  }
}

/** A text file that pages below `base` load. */
export const textAsset = (base: string, name: string, contentType: string, text: string): Asset =>
  makeAsset(base, name, contentType, Buffer.from(text))

/** Reads a file that pages below `base` load. Text is in UTF-8. */
export const readAsset = (base: string, file: URL, contentType: string): Asset =>
  makeAsset(base, file.pathname.slice(file.pathname.lastIndexOf("/") + 1), contentType, readFileSync(file))
