import { Effect } from "effect"
import { Vault } from "../../../ports/vault.ts"
import { type List, sealCursor } from "../http/operations/cursor.ts"
import { pageOfList } from "../http/operations/page.ts"
import { type Content, exact, facts, type Html, markup, pageTitled, raw } from "../pages/html.ts"
import { fieldNameOf } from "../pages/error-page.ts"
import { doneBannerOf, pagerView } from "../pages/lists.ts"
import { issueText } from "./error-pages.ts"
import type { Page, ShopContext } from "./page-context.ts"

/** Entries of a list on one page. */
const PAGE_SIZE = 30

/** A list of this branch. Its cursors fit no other list, so a changed address cannot reach other entries. */
const listOf = ({ caller: { branchId }, params, path }: ShopContext, query: unknown): List => ({
  route: `GET ${path}`,
  owner: branchId,
  params: Object.fromEntries(params.entries()),
  query
})

/** `cursor` and `limit` of a list; `query` is what else selects its entries. */
export const pageIn = (context: ShopContext, query: unknown) =>
  pageOfList(context.exchange, listOf(context, query), PAGE_SIZE)

/** Links to the first and the next page of a list. Nothing when it has one page. */
export const pager = Effect.fnUntraced(function* (
  context: ShopContext,
  query: unknown,
  nextCursor: string | null,
  texts: { readonly first: string; readonly next: string }
) {
  const next = nextCursor === null ? null : sealCursor(yield* Vault, listOf(context, query), nextCursor)
  return pagerView({ path: context.path, query: context.query, texts }, next)
})

/** The result of the last action, from `?done=`. */
export const doneBanner = ({ messages, query }: ShopContext): Content => doneBannerOf(messages.settings.done, query)

/** A link to the page above. */
export const backLink = (path: string, text: string): Html =>
  markup`<p class="back"><a href="${path}"><span aria-hidden="true">‹</span> ${text}</a></p>`

interface SettingsPage {
  readonly title: string
  /** The title if absent. */
  readonly heading?: string
  /** The page above; the first page of the settings if absent. */
  readonly above?: readonly [path: string, title: string]
  readonly content: Content
}

/** A page below the settings: its heading, a link to the page above, and the content. */
export const settingsSubpage = (
  { messages: { settings } }: ShopContext,
  { above = ["/app/settings", settings.back], content, heading, title }: SettingsPage
): Page => pageTitled(title, "settings")`${backLink(...above)}<h1>${heading ?? title}</h1>${content}`

/** Links of which one is the page itself. */
export const tabs = (
  label: string,
  entries: ReadonlyArray<readonly [text: string, path: string, isCurrent: boolean]>
): Html =>
  markup`<nav class="tabs" aria-label="${label}"><ul>${
    entries.map(([text, path, isCurrent]) =>
      markup`<li><a href="${path}"${raw(isCurrent ? ' aria-current="true"' : "")}>${text}</a></li>`
    )
  }</ul></nav>`

interface Choice {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  readonly value?: string | undefined
}

/** A field with a list of choices, its hint and its error. */
export const choiceView = (
  { issues, messages }: ShopContext,
  { hint = "", label, name, options, value }: Choice
): Html => {
  const id = `field-${name}`
  const wrong = issues.filter((issue) => fieldNameOf(issue) === name)
  const describedBy = [...(wrong.length > 0 ? [`${id}-error`] : []), ...(hint === "" ? [] : [`${id}-hint`])].join(" ")
  return markup`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}"${
    describedBy === "" ? undefined : markup` aria-describedby="${describedBy}"`
  }${raw(wrong.length > 0 ? ' aria-invalid="true"' : "")}>${
    options.map(([option, text]) =>
      markup`<option value="${option}"${raw(option === value ? " selected" : "")}>${text}</option>`
    )
  }</select>${
    wrong.slice(0, 1).map((issue) => markup`<p class="error" id="${id}-error">${issueText(messages, issue)}</p>`)
  }${hint === "" ? undefined : markup`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
}

/** A text with a button that copies it. The script shows the button. */
const copyable = ({ messages: { settings: { secrets } } }: ShopContext, text: string): Html =>
  markup`<span class="copyable"><code class="any">${text}</code><button type="button" class="quiet" data-copy="${
    exact(text)
  }" data-copied="${secrets.copied}" hidden>${secrets.copy}</button></span>`

/** Shows a new key, secret or link, which cannot be shown again. `next` is the page to continue with. */
export const secretPage = (
  context: ShopContext,
  { about = [], label, lead = context.messages.settings.secrets.lead, next, picture, secret }: {
    readonly label: string
    readonly lead?: string
    readonly secret: string
    readonly picture?: Html
    readonly next: string
    readonly about?: ReadonlyArray<readonly [label: string, value: Content]>
  }
): Page => {
  const { secrets } = context.messages.settings
  return pageTitled(
    label,
    "settings"
  )`<h1>${label}</h1><section class="card"><p class="banner good" role="status">${lead}</p>${picture}${
    facts([[label, copyable(context, secret)], ...about])
  }<p><a class="button primary" href="${next}">${secrets.go}</a></p></section>`
}
