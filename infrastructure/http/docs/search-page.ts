import { type Content, markup } from "../../pages/html.ts"
import { search, type SearchEntry } from "./browser/ranking.js"

const MAX_RESULTS = 30

const resultView = ({ detail, kind, title, url }: SearchEntry): Content =>
  markup`<li><a href="${url}">${title}</a> <span class="type">${kind}</span><p>${detail}</p></li>`

/** The results of a query: the search without a script. */
export const searchResults = (entries: ReadonlyArray<SearchEntry>, query: string): Content => {
  if (query.trim() === "") {
    return markup`<h1>Search</h1><p>Enter a word, an operation such as <code>verifyBank</code>, a field or an error
code.</p>`
  }
  const found = search(entries, query, MAX_RESULTS)
  return markup`<h1>Search</h1><p>${
    found.length === 0
      ? markup`Nothing matches “${query}”. Try fewer or shorter words; a result needs the beginning of a word.`
      : markup`${found.length === MAX_RESULTS ? `The best ${MAX_RESULTS}` : found.length} ${
        found.length === 1 ? "result" : "results"
      } for “${query}”`
  }</p><ol class="results">${found.map(resultView)}</ol>`
}
