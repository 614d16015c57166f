import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

/** A file that pages load. */
export interface Asset {
  /** Contains a digest of the content, so that browsers may keep the file. */
  readonly path: string
  readonly contentType: string
  readonly text: string
}

/** A file of this content that pages below `base` load, such as `/console`. */
export const makeAsset = (base: string, name: string, contentType: string, text: string): Asset => {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16)
  return { path: `${base}/assets/${digest}/${name}`, contentType: `${contentType}; charset=utf-8`, text }
}

/** Reads a text file that pages below `base` load. */
export const readAsset = (base: string, file: URL, contentType: string): Asset =>
  makeAsset(base, file.pathname.slice(file.pathname.lastIndexOf("/") + 1), contentType, readFileSync(file, "utf8"))
