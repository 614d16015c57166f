import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { indexed } from "../../infrastructure/web/docs/ranking.js"
import type { DocPage } from "./doc-page.ts"
import { renderDocument, type RenderedDocument } from "./markdown-view.ts"

/** The documents of the repository that the site shows, by their paths below docs/. */
const files: ReadonlyArray<readonly [path: string, file: URL]> = [
  ["using-the-api.md", new URL("../../docs/using-the-api.md", import.meta.url)],
  ["receiving-callbacks.md", new URL("../../docs/receiving-callbacks.md", import.meta.url)],
  ["migrating.md", new URL("../../docs/migrating.md", import.meta.url)],
  ["proof.md", new URL("../../docs/proof.md", import.meta.url)],
  ["spec/http.md", new URL("../../docs/spec/http.md", import.meta.url)]
]

/** `using-the-api.md` → `/using-the-api` */
const pagePath = (path: string): string => `/${path.replace(/\.md$/u, "")}`

/** The URL for a link in the document at `from`; undefined when it leads to a file that the site does not show. */
const resolveLink = (base: string, from: string, href: string): string | undefined => {
  if (href.startsWith("#") || /^https?:\/\//u.test(href)) return href
  const [path = "", anchor] = href.split("#")
  const target = posix.join(posix.dirname(from), path)
  if (!files.some(([known]) => known === target)) return undefined
  return base + pagePath(target) + (anchor === undefined ? "" : `#${anchor}`)
}

/** The first words of a text, for a line of a result. */
const opening = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ").trim()
  return line.length <= 110 ? line : `${line.slice(0, line.lastIndexOf(" ", 110))} …`
}

const entriesOf = (url: string, { sections, title }: RenderedDocument): DocPage["entries"] =>
  sections.map(({ heading, id, prose }) => ({
    url: id === "" ? url : `${url}#${id}`,
    kind: id === "" ? "Guide" : title,
    title: id === "" ? title : heading,
    detail: opening(prose),
    names: indexed(id === "" ? title : heading),
    words: indexed(`${title} ${prose}`)
  }))

/** The pages that are made from the repository's Markdown. */
export const makeGuides = (base: string): ReadonlyArray<DocPage> =>
  files.map(([path, file]) => {
    const document = renderDocument(readFileSync(file, "utf8"), (href) => resolveLink(base, path, href))
    return {
      path: pagePath(path),
      title: document.title,
      language: "en",
      section: "Guides",
      headings: document.sections.filter(({ level }) => level === 2).map(({ heading, id }) => ({ id, text: heading })),
      content: document.content,
      entries: entriesOf(base + pagePath(path), document)
    }
  })
