import { readFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { makeDocument } from "../api/openapi/document.ts"
import { renderPage } from "./page.ts"

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

const { version }: { readonly version: string } = JSON.parse(textOf("../../../package.json"))
const document = makeDocument(version)
const style = textOf("style.css")

/** What is served at `/openapi.json`. */
export const openApi = JSON.stringify(document)

/** What is served at `/docs`. */
export const page = renderPage(document, style).html

/** All that the page may do: be styled as it says itself. It has no script, and fetches nothing. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")
