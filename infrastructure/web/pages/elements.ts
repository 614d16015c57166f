import { type Content, type Html, markup } from "./html.ts"

export type Tone = "good" | "bad" | "plain"

/** A state in a word; `tone` selects its colour. */
export const tag = (text: string, tone: Tone = "plain"): Html => markup`<span class="tag ${tone}">${text}</span>`

/** A placeholder for a missing value. */
export const dash = markup`<span class="soft">–</span>`

/** Labels and values, one row each. */
export const facts = (rows: ReadonlyArray<readonly [label: Content, value: Content]>, name = "facts"): Html =>
  markup`<dl class="${name}">${
    rows.map(([label, value]) => markup`<div><dt>${label}</dt><dd>${value}</dd></div>`)
  }</dl>`

/** A table. On a narrow screen each row becomes a card, and each cell shows its heading. */
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
