import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { type Asset, readAsset } from "../pages/assets.ts"

const own = (name: string, contentType: string): Asset =>
  readAsset("/app", new URL(`browser/${name}`, import.meta.url), contentType)

const JAVASCRIPT = "text/javascript"

/** What every page loads. */
export const styles = [
  own("shop.css", "text/css"),
  own("pages.css", "text/css"),
  readAsset("/app", new URL("../pages/plots.css", import.meta.url), "text/css")
]
export const script = own("shop.js", JAVASCRIPT)

/** What a browser loads when the clerk opens the camera: the reader only where the browser cannot read QR codes. */
export const cameraScripts = {
  camera: own("camera.js", JAVASCRIPT),
  reader: readAsset("/app", pathToFileURL(createRequire(import.meta.url).resolve("jsqr")), JAVASCRIPT)
}

const all: ReadonlyArray<Asset> = [...styles, script, cameraScripts.camera, cameraScripts.reader]

/** The file at a path; undefined also for a file of another version. */
export const assetAt = (path: string): Asset | undefined => all.find((file) => file.path === path)
