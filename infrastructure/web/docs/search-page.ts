import { type Content, type Html, markup } from "../pages/html.ts"
import { search, type SearchEntry } from "./ranking.js"
import type { FrameTexts } from "./frame-texts.ts"

const MAX_RESULTS = 30

/** The entries of most pages are English. */
const resultView = ({ detail, kind, title, url }: SearchEntry): Content =>
  markup`<li${/[\u0E00-\u0E7F]/u.test(title) ? markup` lang="th"` : undefined}><a href="${url}">${title}</a> <span
class="type">${kind}</span><p>${detail}</p></li>`

const countText = (count: number, query: string, { best, many, none, one }: FrameTexts["search"]): string => {
  if (count === 0) return none(query)
  if (count === 1) return one(query)
  return count === MAX_RESULTS ? best(count, query) : many(count, query)
}

/** The results of a query: the search without a script. */
export const searchResults = (
  entries: ReadonlyArray<SearchEntry>,
  query: string,
  { search: texts }: FrameTexts
): Html => {
  const title = markup`<h1>${texts.title}</h1>`
  if (query.trim() === "") return markup`${title}<p>${texts.empty}</p>`
  const found = search(entries, query, MAX_RESULTS)
  return markup`${title}<p>${countText(found.length, query, texts)}</p><ol class="results" lang="en">${
    found.map(resultView)
  }</ol>`
}
