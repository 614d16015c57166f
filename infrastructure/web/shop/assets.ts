import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { type Asset, readAsset } from "../pages/assets.ts"
import { thaiFont } from "../pages/fonts.ts"

const own = (name: string, contentType: string): Asset =>
  readAsset("/app", new URL(`browser/${name}`, import.meta.url), contentType)

const JAVASCRIPT = "text/javascript"

const font = thaiFont("/app")

/** What every page loads. */
export const fontStyle = font.style
export const style = own("shop.css", "text/css")
/** What the history and the settings need besides. */
export const furtherStyles = [
  own("pages.css", "text/css"),
  readAsset("/app", new URL("../pages/plots.css", import.meta.url), "text/css")
] as const
export const script = own("shop.js", JAVASCRIPT)

/** What a browser loads when the clerk opens the camera: the reader only where the browser cannot read QR codes. */
export const cameraScripts = {
  camera: own("camera.js", JAVASCRIPT),
  reader: readAsset("/app", pathToFileURL(createRequire(import.meta.url).resolve("jsqr")), JAVASCRIPT)
}

/** Its path in the page has no digest. */
export const serviceWorker = own("service-worker.js", JAVASCRIPT)

/** The icons of the installed page. The first one has any size. */
export const icons = [
  { ...own("icon.svg", "image/svg+xml"), size: "any", type: "image/svg+xml", purpose: "any" },
  { ...own("icon-192.png", "image/png"), size: "192x192", type: "image/png", purpose: "any maskable" },
  { ...own("icon-512.png", "image/png"), size: "512x512", type: "image/png", purpose: "any maskable" }
] as const

const all: ReadonlyArray<Asset> = [
  fontStyle,
  ...font.files,
  style,
  ...furtherStyles,
  script,
  cameraScripts.camera,
  cameraScripts.reader,
  ...icons
]

/** The file at a path; undefined also for a file of another version. */
export const assetAt = (path: string): Asset | undefined => all.find((file) => file.path === path)
