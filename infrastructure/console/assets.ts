import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

interface Asset {
  /** Of the site, with a digest of the content. */
  readonly path: string
  readonly contentType: string
  readonly text: string
}

const asset = (name: string, contentType: string, file: string): Asset => {
  const text = readFileSync(file, "utf8")
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16)
  return { path: `/console/assets/${digest}/${name}`, contentType, text }
}

const own = (name: string): string => fileURLToPath(new URL(`browser/${name}`, import.meta.url))

/** All that pages load. */
export const assets = {
  style: asset("console.css", "text/css; charset=utf-8", own("console.css")),
  script: asset("console.js", "text/javascript; charset=utf-8", own("console.js")),
  htmx: asset(
    "htmx.js",
    "text/javascript; charset=utf-8",
    createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js")
  )
}

/** The file behind a path of the site; one of another version is not there. */
export const assetAt = (path: string): Asset | undefined => Object.values(assets).find((one) => one.path === path)
