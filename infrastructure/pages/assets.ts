import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** A file that pages load. */
export interface Asset {
  /** Contains a digest of the content, so that browsers may keep the file. */
  readonly path: string
  readonly contentType: string
  readonly text: string
}

/** The path of a file below `base`, with a digest of its content. */
export const assetPath = (base: string, name: string, content: string | Uint8Array): string =>
  `${base}/assets/${createHash("sha256").update(content).digest("hex").slice(0, 16)}/${name}`

/** A text file that pages below `base` load. */
export const textAsset = (base: string, name: string, text: string, contentType: string): Asset => ({
  path: assetPath(base, name, text),
  contentType: `${contentType}; charset=utf-8`,
  text
})

/** Reads a text file that pages below `base` load, such as `/console`. */
export const readAsset = (base: string, file: URL, contentType: string): Asset =>
  textAsset(base, file.pathname.slice(file.pathname.lastIndexOf("/") + 1), readFileSync(file, "utf8"), contentType)
