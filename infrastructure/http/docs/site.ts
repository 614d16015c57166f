import { markup } from "../../pages/html.ts"
import type { Document } from "../api/openapi/document-types.ts"
import { textAsset } from "../../pages/assets.ts"
import { MAX_QUERY } from "./browser/ranking.js"
import type { DocPage } from "./doc-page.ts"
import { adminDocument, document } from "./documents.ts"
import { makeErrorsPage } from "./errors-page.ts"
import { makeGuides } from "./guides.ts"
import { framed, makeAssets, type SiteFrame } from "./layout.ts"
import type { ReferenceContext } from "./operation-view.ts"
import { makeConventionsPage, makeGroupPages } from "./reference-pages.ts"
import { makeReferences } from "./schema-view.ts"
import { searchResults } from "./search-page.ts"
import { makeStartPage } from "./start-page.ts"
import { StoredAnswer } from "./stored-answer.ts"
import { makeThaiStartPage } from "./thai-start-page.ts"

const HTML = "text/html; charset=utf-8"

/** The pages and files below one path. */
export interface Site {
  /** The page or file at a path; undefined when there is none. */
  readonly at: (path: string) => StoredAnswer | undefined
  /** The page with the results of a query. */
  readonly search: (query: string) => string
  /** The page for a path without one. */
  readonly notFound: () => string
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
  // A page is rendered with its first request.
  const answers = new Map<string, StoredAnswer>([
    ...pages.map((page) =>
      [base + page.path, new StoredAnswer(HTML, "no-cache", () => framed(frame, page).html)] as const
    ),
    ...[...Object.values(assets), index].map((asset) =>
      [
        asset.path,
        new StoredAnswer(asset.contentType, "public, max-age=31536000, immutable", () =>
          new TextDecoder().decode(asset.bytes))
      ] as const
    )
  ])
  return {
    at: (path) => answers.get(path),
    search: (text) => {
      const query = text.slice(0, MAX_QUERY)
      return framed(frame, { title: "Search", language: "en", content: searchResults(entries, query), query }).html
    },
    notFound: () =>
      framed(frame, {
        title: "Page not found",
        language: "en",
        content: markup`<h1>Page not found</h1><p>The documentation has no page at this address. Use the search, or
start <a href="${base}">at the beginning</a>.</p>`
      }).html,
    paths: pages.map((page) => base + page.path)
  }
}

/** The documentation of the API for callers, at `/docs`. */
export const makeDocsSite = (): Site =>
  makeSite({
    base: "/docs",
    title: "SlipTrail API",
    openApiPath: "/openapi.json",
    document,
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
    document: adminDocument,
    makePages: (context) => [
      makeConventionsPage(context, "", "Overview"),
      makeErrorsPage(context),
      ...makeGroupPages(context)
    ]
  })
