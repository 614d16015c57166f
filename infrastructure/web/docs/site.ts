import { type Html, markup } from "../pages/html.ts"
import type { Language } from "../languages/languages.ts"
import type { Document } from "../api/openapi/document-types.ts"
import { type Asset, storeContent, type StoredContent, textAsset } from "../pages/assets.ts"
import { MAX_QUERY } from "./browser/ranking.js"
import type { DocPage } from "./doc-page.ts"
import { adminDocument, document } from "./documents.ts"
import { makeErrorsPage } from "./errors-page.ts"
import { frameTexts } from "./frame-texts.ts"
import { makeGuides } from "./guides.ts"
import { framed, makeAssets, type SiteFrame } from "./layout.ts"
import type { ReferenceContext } from "./operation-view.ts"
import { makeConventionsPage, makeGroupPages } from "./reference-pages.ts"
import { makeReferences } from "./schema-view.ts"
import { searchResults } from "./search-page.ts"
import { makeStartPage } from "./start-page.ts"
import { makeThaiStartPage } from "./thai-start-page.ts"

/** The pages and files below one path. */
export interface Site {
  /** The page at a path, which is rendered with its first request; undefined when there is none. */
  readonly page: (path: string) => StoredContent | undefined
  /** The file at a path; undefined also for a file of another version. */
  readonly file: (path: string) => Asset | undefined
  /** The page with the results of a query. */
  readonly search: (query: string, language: Language) => Html
  /** The page for a path without one. */
  readonly notFound: () => Html
  /** The paths of all pages. */
  readonly paths: ReadonlyArray<string>
}

interface SiteOptions {
  readonly base: string
  readonly title: string
  readonly openApiPath: string
  readonly document: Document
  readonly makePages: (context: ReferenceContext) => ReadonlyArray<DocPage>
}

const makeSite = ({ base, document, makePages, openApiPath, title }: SiteOptions): Site => {
  const pages = makePages({ base, document, references: makeReferences(document.components) })
  const entries = pages.flatMap((page) => page.entries)
  const assets = makeAssets(base)
  const index = textAsset(base, "search-index.json", "application/json", JSON.stringify(entries))
  const { version } = document.info
  const frame: SiteFrame = { base, title, version, openApiPath, assets, indexPath: index.path, pages }
  const { font, ranking, script, style } = assets
  const files = new Map([font.style, ...font.files, ranking, script, style, index].map((file) => [file.path, file]))
  const pageAt = new Map(pages.map((page) => [base + page.path, page]))
  const rendered = new Map<string, StoredContent>()
  return {
    page: (path) => {
      const page = pageAt.get(path)
      if (page === undefined) return undefined
      const content = rendered.get(path) ?? storeContent("text/html", Buffer.from(framed(frame, page).html))
      rendered.set(path, content)
      return content
    },
    file: (path) => files.get(path),
    search: (text, language) => {
      const query = text.slice(0, MAX_QUERY)
      const texts = frameTexts[language]
      return framed(frame, {
        title: texts.search.title,
        language,
        content: searchResults(entries, query, texts),
        query
      })
    },
    notFound: () =>
      framed(frame, {
        title: "Page not found",
        language: "en",
        content: markup`<h1>Page not found</h1><p>The documentation has no page at this address. Use the search, or
start <a href="${base}">at the beginning</a>.</p>`
      }),
    paths: pages.map((page) => base + page.path)
  }
}

/** The documentation of the API for callers, at `/docs`. */
export const makeDocsSite = (): Site =>
  makeSite({
    base: "/docs",
    title: "SlipTrail API",
    openApiPath: "/openapi.json",
    document: document(),
    makePages: (context) => [
      makeStartPage(context),
      makeThaiStartPage(context),
      ...makeGuides(context.base),
      makeConventionsPage(context, "/reference", "Conventions"),
      makeErrorsPage(context),
      ...makeGroupPages(context)
    ]
  })

/** The reference of the admin API, which the process serves where it serves the admin API. */
export const makeAdminSite = (): Site =>
  makeSite({
    base: "/admin/v1/docs",
    title: "SlipTrail admin API",
    openApiPath: "/admin/v1/openapi.json",
    document: adminDocument(),
    makePages: (context) => [
      makeConventionsPage(context, "", "Overview"),
      makeErrorsPage(context),
      ...makeGroupPages(context)
    ]
  })
