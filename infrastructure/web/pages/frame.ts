import type { Asset } from "./assets.ts"
import { type Content, type Html, markup, raw } from "./html.ts"

interface Frame {
  readonly messages: { readonly language: string; readonly skip: string }
  readonly title: string
  /** Icons and style sheets. */
  readonly head: Content
  readonly script: Asset
  /** `data-` attributes of the body, which the script reads. */
  readonly data: Readonly<Record<string, string>>
  readonly header: Html
  readonly content: Content
  readonly footer?: Html
}

/** A whole document of the console or of the shop's page. */
export const documentOf = ({ content, data, footer, head, header, messages, script, title }: Frame): Html =>
  markup`<!doctype html>
<html lang="${messages.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · SlipTrail</title>
${head}
<script src="${script.path}" defer></script>
</head>
<body${Object.entries(data).map(([name, value]) => markup` data-${name}="${value}"`)}>
<a class="skip" href="#content">${messages.skip}</a>
${header}
<main id="content" tabindex="-1">${content}</main>${
    footer === undefined ? undefined : markup`
${footer}`
  }
</body>
</html>`

type Entries = ReadonlyArray<readonly [text: string, path: string, isCurrent: boolean]>

const navView = (label: string, entries: Entries, attributes: string, current: string): Html =>
  markup`<nav${raw(attributes)} aria-label="${label}"><ul>${
    entries.map(([text, path, isCurrent]) =>
      markup`<li><a href="${path}"${raw(isCurrent ? ` aria-current="${current}"` : "")}>${text}</a></li>`
    )
  }</ul></nav>`

/** The menu of a site. */
export const menuView = (label: string, entries: Entries): Html => navView(label, entries, "", "page")

/** Links of which one is the page itself. */
export const tabs = (label: string, entries: Entries): Html => navView(label, entries, ' class="tabs"', "true")
