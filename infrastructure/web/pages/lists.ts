import { type Content, type Html, markup } from "./html.ts"

interface ListPage {
  /** The path of the list, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly texts: { readonly first: string; readonly next: string }
}

/** Parameters of one page of a list, or of the action that led to it. */
const OF_ONE_PAGE = ["cursor", "done", "not-visible"]

/** Links to the first and the next page of a list. Nothing when it has one page. */
export const pagerView = ({ path, query, texts }: ListPage, nextCursor: string | null): Content => {
  const isFirst = !query.has("cursor")
  if (isFirst && nextCursor === null) return undefined
  const link = (label: string, cursor: string | null): Html => {
    const others = new URLSearchParams([...query].filter(([name]) => !OF_ONE_PAGE.includes(name)))
    if (cursor !== null) others.set("cursor", cursor)
    return markup`<a class="button" href="${path}${others.size === 0 ? "" : `?${others.toString()}`}">${label}</a>`
  }
  return markup`<p class="row">${isFirst ? undefined : link(texts.first, null)}${
    nextCursor === null ? undefined : link(texts.next, nextCursor)
  }</p>`
}

/** The result of the last action, which `?done=` names. */
export const doneBannerOf = (texts: Readonly<Record<string, string>>, query: URLSearchParams): Content => {
  const name = query.get("done") ?? ""
  return Object.hasOwn(texts, name) ? markup`<p class="banner good" role="status">${texts[name]}</p>` : undefined
}
