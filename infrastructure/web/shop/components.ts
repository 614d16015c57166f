import { Effect } from "effect"
import { Vault } from "../../../ports/vault.ts"
import { type List, sealCursor } from "../http/operations/cursor.ts"
import { pageOfList } from "../http/operations/page.ts"
import { type Content, exact, facts, type Html, markup, pageTitled } from "../pages/html.ts"
import { doneBannerOf, pagerView } from "../pages/lists.ts"
import { issueText } from "./error-pages.ts"
import type { Page, ShopContext } from "./page-context.ts"
import { type Field, fieldOf, tokenForm } from "../pages/forms.ts"
import { invalid } from "../input/decode.ts"
import type { Scope } from "../../../domain/api-key.ts"

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

/** A form that changes something. It sends the session's form token. */
export const actionForm = (
  { formToken }: Pick<ShopContext, "formToken">,
  action: string,
  ...content: ReadonlyArray<Content>
): Html => tokenForm(formToken, action, content)

/** A field with its label, hint and error. */
export const fieldView = (context: ShopContext, field: Field): Html =>
  fieldOf(context, field, (issue) => issueText(context.messages, issue))

/** Seconds for which a replaced key or secret works too. */
const overlaps = ["0", "3600", "86400", "604800"] as const

const DEFAULT_OVERLAP = "86400"

/** Asks for these seconds. A rejected form asks anew. */
export const overlapField = (context: ShopContext, label: string, hint?: string): Html =>
  fieldView({ ...context, fields: { overlapSeconds: DEFAULT_OVERLAP } }, {
    name: "overlapSeconds",
    label,
    ...(hint === undefined ? {} : { hint }),
    value: DEFAULT_OVERLAP,
    options: overlaps.map((seconds) => [seconds, context.messages.settings.webhook.overlaps[seconds]])
  })

/** The seconds that the form chose. */
export const overlapIn = ({ fields }: ShopContext) => {
  const chosen = overlaps.find((seconds) => seconds === fields["overlapSeconds"])
  return chosen === undefined
    ? Effect.fail(invalid({ path: "overlapSeconds", message: "Expected one of the times" }))
    : Effect.succeed(Number(chosen))
}

/** The page of keys and devices. */
export const KEYS_PATH = "/app/settings/keys"

/** What a key or a link may do, in the language of the page. */
export const scopesText = (
  { messages: { settings: { keys } } }: ShopContext,
  scopes: ReadonlyArray<Scope>
): string => scopes.map((scope) => keys.scopeLabels[scope]).join(" · ")
