import { visibleText } from "../../platform/visible-text.ts"

/** HTML, which templates do not escape. */
export interface Html {
  readonly html: string
}

/** A value in a template: text, which is escaped; HTML; a list of values; or nothing. */
export type Content = string | number | Html | undefined | ReadonlyArray<Content>

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/gu, (character) => ESCAPED[character] ?? character)

const isList = (content: Content): content is ReadonlyArray<Content> => Array.isArray(content)

/** Characters that a browser would not show, such as marks that reverse text, become visible. */
const render = (content: Content): string => {
  if (content === undefined) return ""
  if (isList(content)) return content.map(render).join("")
  return typeof content === "object" ? content.html : escape(visibleText(String(content)))
}

/**
 * A template of HTML, which escapes text. It is not named `html` because formatters reformat templates of that name.
 * The whitespace that they add would become content, for example in a `textarea`.
 */
export const markup = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => ({
  html: parts.reduce((all, part, index) => all + render(contents[index - 1]) + part)
})

/** Text exactly as it is, escaped: a value that a form sends back, or that a script copies. */
export const exact = (text: string): Html => ({ html: escape(text) })

/** Marks trusted text as HTML: it is not escaped. */
export const raw = (text: string): Html => ({ html: text })

export type Tone = "good" | "bad" | "plain"

/** A state in a word; `tone` selects its colour. */
export const tag = (text: string, tone: Tone = "plain"): Html => markup`<span class="tag ${tone}">${text}</span>`

/** A placeholder for a missing value. */
export const dash = markup`<span class="soft">–</span>`

/** Labels and values, one row each. A label without a value has no row. */
export const facts = (rows: ReadonlyArray<readonly [label: Content, value: Content]>, name = "facts"): Html =>
  markup`<dl class="${name}">${
    rows.filter(([, value]) => value !== undefined).map(([label, value]) =>
      markup`<div><dt>${label}</dt><dd>${value}</dd></div>`
    )
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

/** A column of a table: its heading, and its cell for an item. */
export type Column<Item> = readonly [heading: string, cell: (item: Item) => Content]

/** A table with a row for each item, or the sentence `none` when there is no item. */
export const listTable = <Item>(
  caption: string,
  items: ReadonlyArray<Item>,
  columns: ReadonlyArray<Column<Item>>,
  none?: string
): Html =>
  items.length === 0 && none !== undefined
    ? markup`<p>${none}</p>`
    : table(caption, columns.map(([heading]) => heading), items.map((item) => columns.map(([, cell]) => cell(item))))

/** A whole page. `Menu` names the entries of the menu. */
export interface PageOf<Menu extends string> {
  readonly _tag: "Page"
  readonly title: string
  readonly content: Html
  /** The menu entry that the page belongs to. */
  readonly menu?: Menu | undefined
  /** 200 by default. */
  readonly status?: number
}

/** A page whose content is the template that follows. */
export const pageTitled =
  <Menu extends string = never>(title: string, menu?: Menu) =>
  (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): PageOf<Menu> => ({
    _tag: "Page",
    title,
    menu,
    content: markup(parts, ...contents)
  })

/** A part of a page that a script inserts. */
export interface Fragment {
  readonly _tag: "Fragment"
  readonly content: Html
}

/** A redirect to another page. */
export interface Redirect {
  readonly _tag: "Redirect"
  readonly path: string
}

export const redirect = (path: string): Redirect => ({ _tag: "Redirect", path })
