import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { adminDocument, document } from "../../infrastructure/web/docs/documents.ts"
import { frameTexts } from "../../infrastructure/web/docs/frame-texts.ts"
import { holes, type SiteBase, siteBases, type SiteFile } from "../../infrastructure/web/docs/site-files.ts"
import type { Document } from "../../infrastructure/web/api/openapi/document-types.ts"
import { languageCodes } from "../../infrastructure/web/languages/languages.ts"
import { textAsset } from "../../infrastructure/web/pages/assets.ts"
import { markup, raw } from "../../infrastructure/web/pages/html.ts"
import type { DocPage } from "./doc-page.ts"
import { makeErrorsPage } from "./errors-page.ts"
import { makeGuides } from "./guides.ts"
import { framed, type FramedPage, makeAssets, type SiteFrame } from "./layout.ts"
import type { ReferenceContext } from "./operation-view.ts"
import { makeConventionsPage, makeGroupPages } from "./reference-pages.ts"
import { makeReferences } from "./schema-view.ts"
import { makeStartPage } from "./start-page.ts"
import { makeThaiStartPage } from "./thai-start-page.ts"

interface SiteContent {
  readonly title: string
  readonly openApiPath: string
  readonly document: () => Document
  readonly makePages: (context: ReferenceContext) => ReadonlyArray<DocPage>
}

const contents: Readonly<Record<SiteBase, SiteContent>> = {
  "/docs": {
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
  },
  "/admin/v1/docs": {
    title: "SlipTrail admin API",
    openApiPath: "/admin/v1/openapi.json",
    document: adminDocument,
    makePages: (context) => [
      makeConventionsPage(context, "", "Overview"),
      makeErrorsPage(context),
      ...makeGroupPages(context)
    ]
  }
}

/** All files of the site at `base`: pages, what they load, and the templates of the pages that are not at a fixed path. */
export const renderSite = (base: SiteBase): ReadonlyArray<SiteFile> => {
  const { makePages, openApiPath, title, ...content } = contents[base]
  const document = content.document()
  const pages = makePages({ base, document, references: makeReferences(document.components) })
  const assets = makeAssets(base)
  const index = textAsset(
    base,
    "search-index.json",
    "application/json",
    JSON.stringify(pages.flatMap(({ entries }) => entries))
  )
  const { version } = document.info
  const frame: SiteFrame = { base, title, version, openApiPath, assets, indexPath: index.path, pages }
  const file = (path: string, page: FramedPage): SiteFile => ({ path, bytes: Buffer.from(framed(frame, page).html) })
  const { font, ranking, script, style } = assets
  return [
    ...pages.map((page) => file(`${base}${page.path}/index.html`, page)),
    ...[font.style, ...font.files, ranking, script, style, index].map(({ bytes, path }) => ({ path, bytes })),
    ...languageCodes.map((language) =>
      file(`${base}/search.${language}.template`, {
        title: frameTexts[language].search.title,
        language,
        content: raw(holes.results),
        query: holes.query
      })
    ),
    file(`${base}/not-found.template`, {
      title: "Page not found",
      language: "en",
      content: markup`<h1>Page not found</h1><p>The documentation has no page at this address. Use the search, or
start <a href="${base}">at the beginning</a>.</p>`
    })
  ]
}

/** Writes the files of all sites into a folder, and returns their number. */
export const writeSites = (folder: string): number => {
  const files = siteBases.flatMap(renderSite)
  for (const { bytes, path } of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  return files.length
}
