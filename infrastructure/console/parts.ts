import { type Content, type Html, markup } from "../http/html.ts"
import type { Visit } from "./page-context.ts"

/** A text that is often copied; the button is there where there is a script. */
export const copyable = ({ words: { common } }: Visit, text: string): Html =>
  markup`<span class="copyable"><code class="any">${text}</code><button
type="button" class="quiet copy" data-copy="${text}" hidden>${common.copy}</button></span>`

/** A state in a word; `mood` is its colour. */
export const tag = (text: string, mood: "good" | "bad" | "plain" = "plain"): Html =>
  markup`<span class="tag ${mood}">${text}</span>`

/** Labels and values, one a row. */
export const facts = (rows: ReadonlyArray<readonly [label: string, value: Content]>): Html =>
  markup`<dl class="facts">${rows.map(([label, value]) => markup`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

/** A table whose rows are cards where there is no room: each cell says under which heading it stands. */
export const table = (
  caption: string,
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Content>>
): Html =>
  markup`<table><caption class="unseen">${caption}</caption><thead><tr>${
    headings.map((heading) => markup`<th scope="col">${heading}</th>`)
  }</tr></thead><tbody>${
    rows.map((cells) =>
      markup`<tr>${
        cells.map((cell, index) => markup`<td data-heading="${headings[index] ?? ""}"><div>${cell}</div></td>`)
      }</tr>`
    )
  }</tbody></table>`

/** The way through a list that is longer than a page. */
export const pager = ({ path, query, words: { common } }: Visit, nextCursor: string | null): Content => {
  const isFirst = !query.has("cursor")
  if (isFirst && nextCursor === null) return undefined
  const to = (cursor: string | null): string => {
    const other = new URLSearchParams([...query].filter(([name]) => name !== "cursor" && name !== "done"))
    if (cursor !== null) other.set("cursor", cursor)
    return other.size === 0 ? path : `${path}?${other.toString()}`
  }
  return markup`<p class="row">${
    isFirst ? undefined : markup`<a class="button" href="${to(null)}">${common.first}</a>`
  }${nextCursor === null ? undefined : markup`<a class="button" href="${to(nextCursor)}">${common.next}</a>`}</p>`
}
