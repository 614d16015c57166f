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

const isText = (contentType: string): boolean => !contentType.startsWith("image/") || contentType.includes("svg")

/** Reads a file that pages below `base` load, such as `/console`. Text is in UTF-8. */
export const readAsset = (base: string, file: URL, contentType: string): Asset => {
  const bytes = readFileSync(file)
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16)
  const name = file.pathname.slice(file.pathname.lastIndexOf("/") + 1)
  const compressed = new Map<Encoding, Uint8Array>()
  const isCompressible = isText(contentType)
  return {
    path: `${base}/assets/${digest}/${name}`,
    contentType: isCompressible ? `${contentType}; charset=utf-8` : contentType,
    bytes,
    encoded: (encoding) => {
      if (!isCompressible) return undefined
      const content = compressed.get(encoding) ?? compress[encoding](bytes)
      compressed.set(encoding, content)
      return content
    }
  }
}
