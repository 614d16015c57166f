import { type Content, type Html, markup, raw } from "../http/html.ts"
import { assets } from "./assets.ts"
import { languages } from "./language.ts"
import type { Menu } from "./page-context.ts"
import type { Words } from "./messages/en.ts"

interface Layout {
  readonly words: Words
  readonly title: string
  readonly content: Content
  /** The page itself, to be shown in the other language. */
  readonly here: string
}

interface SignedIn extends Layout {
  readonly menu: Menu | undefined
  readonly formToken: string
  /** What stands in the box for finding. */
  readonly sought: string
}

const entries: ReadonlyArray<readonly [Menu, string]> = [
  ["overview", "/console"],
  ["services", "/console/services"],
  ["callbacks", "/console/callbacks"],
  ["projections", "/console/projections"]
]

const otherLanguage = ({ here, words }: Layout): Html => {
  const other = words.language === languages.th.language ? "en" : "th"
  return markup`<a class="language" lang="${other}" href="/console/language/${other}?to=${
    encodeURIComponent(here)
  }">${words.otherLanguage}</a>`
}

const brand = (words: Words): Html =>
  markup`<a class="brand" href="/console"><span class="mark" aria-hidden="true"></span>SlipTrail <span class="soft">${words.console}</span></a>`

const documentOf = ({ content, title, words }: Layout, header: Html): Html =>
  markup`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="htmx-config" content='{"history":false,"includeIndicatorCSS":false,"mode":"same-origin","noSwap":[204,304,"4xx","5xx"]}'>
<title>${title} · SlipTrail</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style.path}">
<script src="${assets.htmx.path}" defer></script>
<script src="${assets.script.path}" defer></script>
</head>
<body data-copied="${words.common.copied}" data-away="${words.trouble.away}">
<a class="skip" href="#content">${words.skip}</a>
${header}
<main id="content" tabindex="-1">${content}</main>
</body>
</html>
`

/** A page before anybody has signed in. */
export const renderDoor = (page: Layout): Html =>
  documentOf(page, markup`<header class="top">${brand(page.words)}${otherLanguage(page)}</header>`)

/** A page with the menu, the box for finding, and the way out. */
export const renderPage = (page: SignedIn): Html => {
  const { formToken, menu, sought, words } = page
  return documentOf(
    page,
    markup`<header class="top">${brand(words)}
<form class="find" role="search" action="/console/find"><label class="unseen" for="q">${words.find.label}</label>
<input id="q" name="q" type="search" required maxlength="512" autocomplete="off" spellcheck="false"
placeholder="${words.find.hint}" value="${sought}">
<button>${words.find.button}</button></form>
<nav aria-label="${words.menu.label}"><ul>${
      entries.map(([name, path]) =>
        markup`<li><a href="${path}"${raw(name === menu ? ' aria-current="page"' : "")}>${words.menu[name]}</a></li>`
      )
    }</ul></nav>
<div class="door">${otherLanguage(page)}<form method="post" action="/console/logout"><input
type="hidden" name="csrf" value="${formToken}"><button class="quiet">${words.login.logout}</button></form></div>
</header>`
  )
}
