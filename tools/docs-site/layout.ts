import { readAsset } from "../../infrastructure/web/pages/assets.ts"
import { thaiFont } from "../../infrastructure/web/pages/fonts.ts"
import { type Content, exact, type Html, markup, raw } from "../../infrastructure/web/pages/html.ts"
import { DEFAULT_LANGUAGE, type Language } from "../../infrastructure/web/languages/languages.ts"
import { MAX_QUERY } from "../../infrastructure/web/docs/ranking.js"
import type { DocPage } from "./doc-page.ts"
import { type FrameTexts, frameTexts } from "../../infrastructure/web/docs/frame-texts.ts"

const read = (base: string, file: string, contentType: string) =>
  readAsset(base, new URL(file, import.meta.url), contentType)

/** The files of a site. All pages load them, except for the fonts, which pages with Thai letters load. */
export const makeAssets = (base: string) => ({
  font: thaiFont(base),
  style: read(base, "browser/docs.css", "text/css"),
  script: read(base, "browser/docs.js", "text/javascript"),
  ranking: read(base, "../../infrastructure/web/docs/ranking.js", "text/javascript")
})

/** What all pages of a site have in common. */
export interface SiteFrame {
  /** Such as `/docs`. */
  readonly base: string
  readonly title: string
  readonly version: string
  /** The path of the OpenAPI document. */
  readonly openApiPath: string
  readonly assets: ReturnType<typeof makeAssets>
  /** The path of the search index. */
  readonly indexPath: string
  readonly pages: ReadonlyArray<DocPage>
}

/** A page in the frame. `path` and `headings` are those of the menu; a result of a search has neither. */
export interface FramedPage {
  readonly title: string
  readonly language: Language
  readonly path?: string
  readonly content: Content
  /** The text in the search box. */
  readonly query?: string
}

const headingsOf = ({ headings }: DocPage): Content =>
  headings.length === 0
    ? undefined
    : markup`<ul class="inner">${
      headings.map(({ id, method, text }) =>
        markup`<li><a href="#${id}">${
          method === undefined ? undefined : markup`<span class="method ${method}">${method.toUpperCase()}</span> `
        }${text}</a></li>`
      )
    }</ul>`

const menu = ({ base, pages }: SiteFrame, path: string | undefined, texts: FrameTexts): Content => {
  const sections = [...new Set(pages.map(({ section }) => section))]
  return sections.map((section) =>
    markup`<h2>${texts.sections[section]}</h2><ul>${
      pages.filter((page) => page.section === section).map((page) => {
        const isCurrent = page.path === path
        return markup`<li><a href="${base}${page.path}" lang="${page.language}"${
          raw(isCurrent ? ' aria-current="page"' : "")
        }>${page.title}</a>${isCurrent ? headingsOf(page) : undefined}</li>`
      })
    }</ul>`
  )
}

/** Links to the page before and the page after. */
const neighbours = ({ base, pages }: SiteFrame, path: string | undefined, texts: FrameTexts): Content => {
  const at = pages.findIndex((page) => page.path === path)
  if (at < 0) return undefined
  const link = (page: DocPage | undefined, label: string, rel: string): Content =>
    page === undefined ? markup`<span></span>` : markup`<a href="${base}${page.path}" rel="${rel}"><span
class="type">${label}</span> <span lang="${page.language}">${page.title}</span></a>`
  return markup`<nav class="neighbours" aria-label="${texts.neighbours}">${
    link(pages[at - 1], texts.previous, "prev")
  }${link(pages[at + 1], texts.next, "next")}</nav>`
}

/** The script reads its texts from the form. A page in another language than the default one says so to the search. */
const searchForm = (
  { assets, base, indexPath }: SiteFrame,
  query: string,
  { code, language, search: { button, label, placeholder, results, status } }: FrameTexts
): Content =>
  markup`<form class="search" role="search" action="${base}/search" data-index="${indexPath}" data-ranking="${assets.ranking.path}"
data-copy="${code.copy}" data-copied="${code.copied}" data-none="${status.none}" data-one="${status.one}"
data-many="${status.many}">${
    language === DEFAULT_LANGUAGE ? undefined : markup`<input type="hidden" name="language" value="${language}">`
  }<label class="unseen" for="q">${label}</label><input id="q" name="q" type="search"
maxlength="${MAX_QUERY}" autocomplete="off" spellcheck="false" placeholder="${placeholder}" value="${
    exact(query)
  }"><kbd aria-hidden="true">/</kbd><button>${button}</button><ul id="results" role="listbox" aria-label="${results}" hidden></ul>
<p class="unseen" role="status" id="status"></p></form>`

/** A page of the site as HTML. The menu is there twice, beside the text and above it: the style shows one of them. */
export const framed = (frame: SiteFrame, page: FramedPage): Html => {
  const { assets: { font, script, style }, base, openApiPath, title, version } = frame
  const texts = frameTexts[page.language]
  const entries = menu(frame, page.path, texts)
  return markup`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${font.style.path}">
<link rel="stylesheet" href="${style.path}">
<script src="${script.path}" type="module"></script>
</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
<header><a class="brand" href="${base}">${title}</a> <span class="version">${version}</span>${
    searchForm(frame, page.query ?? "", texts)
  }<a class="download" href="${openApiPath}">OpenAPI</a></header>
<nav class="side" aria-label="${texts.documentation}">${entries}</nav>
<nav class="menu" aria-label="${texts.menu}"><details><summary>${texts.menu}</summary>${entries}</details></nav>
<main id="content" tabindex="-1">${page.content}${neighbours(frame, page.path, texts)}</main>
</body>
</html>
`
}
