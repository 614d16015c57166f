import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { startThread } from "../../platform/threads/start-thread.ts"
import type { Language } from "../languages/languages.ts"
import { storeContent, type StoredContent } from "../pages/assets.ts"
import { exact, type Html, raw } from "../pages/html.ts"
import { frameTexts } from "./frame-texts.ts"
import { MAX_QUERY, type SearchEntry } from "./ranking.js"
import { holes, type SiteBase, type SiteFile } from "./site-files.ts"
import { searchResults } from "./search-page.ts"

/** The pages and files below one path. */
export interface Site {
  readonly page: (path: string) => StoredContent | undefined
  /** A file that pages load; undefined also for a file of another version. */
  readonly asset: (path: string) => StoredContent | undefined
  /** The page with the results of a query. */
  readonly search: (query: string, language: Language) => Html
  /** The page for a path without one. */
  readonly notFound: Html
}

/** The folder that the image has. */
const rendered = fileURLToPath(new URL("rendered/", import.meta.url))

const readFiles = async (folder: string, base: SiteBase): Promise<ReadonlyArray<SiteFile>> => {
  const entries = await readdir(join(folder, base), { recursive: true, withFileTypes: true })
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map(async ({ name, parentPath }) => {
      const file = join(parentPath, name)
      return { path: `/${relative(folder, file)}`, bytes: await readFile(file) }
    })
  )
}

/** Renders the files in a thread: it takes a second of the processor, in which requests would wait. */
const renderFiles = async (base: SiteBase): Promise<ReadonlyArray<SiteFile>> => {
  const script = new URL("../../../tools/docs-site/render-thread.ts", import.meta.url)
  const thread = startThread<undefined, SiteBase, ReadonlyArray<SiteFile>>({
    script,
    name: "docs-site",
    data: undefined
  })
  try {
    return await new Promise((resolve, reject) =>
      thread.ask(base, (outcome) => outcome instanceof Error ? reject(outcome) : resolve(outcome))
    )
  } finally {
    void thread.close()
  }
}

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  ttf: "font/ttf"
}

const contentOf = ({ bytes, path }: SiteFile): StoredContent =>
  storeContent(contentTypes[path.slice(path.lastIndexOf(".") + 1)] ?? "text/html", bytes)

/** Reads the site at `base`, or renders it where the folder is missing. */
export const loadSite = async (base: SiteBase, folder = rendered): Promise<Site> => {
  const files = existsSync(folder) ? await readFiles(folder, base) : await renderFiles(base)
  const contents = new Map(files.map((file) => [file.path, contentOf(file)]))
  const textOf = (path: string): string => {
    const content = contents.get(path)
    if (content === undefined) throw new Error(`the documentation has no file ${path}`)
    return Buffer.from(content.bytes).toString()
  }
  const index = files.find(({ path }) => path.endsWith("/search-index.json"))?.path ?? ""
  const entries: ReadonlyArray<SearchEntry> = JSON.parse(textOf(index))
  return {
    page: (path) => contents.get(`${path}/index.html`),
    asset: (path) => path.startsWith(`${base}/assets/`) ? contents.get(path) : undefined,
    search: (text, language) => {
      const query = text.slice(0, MAX_QUERY)
      const results = searchResults(entries, query, frameTexts[language])
      return raw(
        textOf(`${base}/search.${language}.template`)
          .replace(holes.query, () => exact(query).html)
          .replace(holes.results, () => results.html)
      )
    },
    notFound: raw(textOf(`${base}/not-found.template`))
  }
}
