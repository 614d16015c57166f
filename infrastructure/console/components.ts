import { type Content, exact, type Html, markup } from "../http/html.ts"
import type { Messages } from "./messages/en.ts"
import type { Page, PageContext } from "./page-context.ts"

/** A text with a button that copies it. The script shows the button. */
export const copyable = ({ messages: { common } }: PageContext, text: string): Html =>
  markup`<span class="copyable"><code class="any">${text}</code><button
type="button" class="quiet copy" data-copy="${exact(text)}" hidden>${common.copy}</button></span>`

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

/** Links to the first and the next page of a list. */
export const pager = ({ messages: { common }, path, query }: PageContext, nextCursor: string | null): Content => {
  const isFirst = !query.has("cursor")
  if (isFirst && nextCursor === null) return undefined
  const link = (label: string, cursor: string | null): Html => {
    const other = new URLSearchParams([...query].filter(([name]) => !["cursor", "done", "not-visible"].includes(name)))
    if (cursor !== null) other.set("cursor", cursor)
    return markup`<a class="button" href="${other.size === 0 ? path : `${path}?${other.toString()}`}">${label}</a>`
  }
  return markup`<p class="row">${isFirst ? undefined : link(common.first, null)}${
    nextCursor === null ? undefined : link(common.next, nextCursor)
  }</p>`
}

/** The result of the last action, from `?done=`. */
export const doneBanner = ({ messages, query }: PageContext): Content => {
  const done = query.get("done") ?? ""
  const text = Object.entries(messages.done).find(([name]) => name === done)?.[1]
  return text === undefined ? undefined : markup`<p class="banner good" role="status">${text}</p>`
}

/** Shows a new key, secret or token, which cannot be shown again. `next` is the page to continue with. */
export const secretsPage = (
  context: PageContext,
  next: string,
  about: ReadonlyArray<readonly [string, Content]>,
  { apiKey, token, webhookSecret }: {
    readonly apiKey?: string
    readonly webhookSecret?: string
    readonly token?: string
  }
): Page => {
  const { secrets } = context.messages
  const rows = [[secrets.apiKey, apiKey], [secrets.webhookSecret, webhookSecret], [secrets.token, token]] as const
  return {
    _tag: "Page",
    title: secrets.title,
    menu: "services",
    content:
      markup`<h1>${secrets.title}</h1><section class="card secrets"><p class="banner good" role="status">${secrets.lead}</p>${
        facts(about)
      }${
        facts(rows.flatMap(([label, secret]) =>
          secret === undefined ? [] : [[label, copyable(context, secret)] as const]
        ))
      }<p><a class="button primary" href="${next}">${secrets.go}</a></p></section>`
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formatters are cached: making one costs more than rendering a page. */
const formatOf = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = `${locale} ${JSON.stringify(options)}`
  const cached = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: "Asia/Bangkok", ...options })
  formats.set(key, cached)
  return cached
}

const dayFormat = { day: "numeric", month: "short", year: "numeric" } as const
const secondFormat = { ...dayFormat, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const
const millisecondFormat = { ...secondFormat, fractionalSecondDigits: 3 } as const

/** A time (ISO 8601) in Bangkok; the tooltip shows it in UTC. */
export const timeView = ({ locale }: Messages, iso: string, precision: "second" | "millisecond" = "second"): Html => {
  const at = new Date(iso)
  const format = formatOf(locale, precision === "second" ? secondFormat : millisecondFormat)
  return markup`<time datetime="${iso}" title="${at.toISOString()} (UTC)">${format.format(at)}</time>`
}

/** The name of a month (`yyyy-MM`). */
export const monthName = ({ locale }: Messages, month: string): string =>
  formatOf(locale, { month: "long", year: "numeric" }).format(new Date(`${month}-15T00:00:00+07:00`))
