import { type Content, dash, exact, facts, type Html, markup, pageTitled, tag } from "../pages/html.ts"
import { doneBannerOf, pagerView } from "../pages/lists.ts"
import { type Page, type PageContext, pathTo } from "./page-context.ts"
import type { Messages } from "./messages.ts"
import type { ShopName } from "../../../application/provisioning/shop-names.ts"
import { money } from "../pages/numbers.ts"

/** A text with a button that copies it. The script shows the button. */
export const copyable = ({ messages: { common } }: PageContext, text: string): Html =>
  markup`<span class="copyable"><code class="any">${text}</code><button
type="button" class="quiet copy" data-copy="${exact(text)}" hidden>${common.copy}</button></span>`

/** Links to the first and the next page of a list. */
export const pager = (
  { messages: { common }, pagePath: path, query }: PageContext,
  nextCursor: string | null
): Content => pagerView({ path, query, texts: common }, nextCursor)

/** The result of the last action, from `?done=`. */
export const doneBanner = ({ messages, query }: PageContext): Content => doneBannerOf(messages.done, query)

/** A link that stores secrets as a file of environment variables. The browser makes the file: no request is sent. */
const envFile = (label: string, variables: ReadonlyArray<readonly [name: string, secret: string]>): Html => {
  const text = variables.map(([name, secret]) => `${name}=${secret}\n`).join("")
  return markup`<a class="button" download="sliptrail.env" href="data:text/plain;base64,${
    Buffer.from(text).toString("base64")
  }">${label}</a>`
}

/**
 * Shows a new key, secret or token, which cannot be shown again. The operator confirms to have saved it, and continues to
 * the page `next`.
 */
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
  const rows = [
    [secrets.apiKey, "SLIPTRAIL_API_KEY", apiKey],
    [secrets.webhookSecret, "WEBHOOK_SECRETS", webhookSecret],
    [secrets.token, "SLIPTRAIL_TOKEN", token]
  ] as const
  const shown = rows.flatMap(([label, variable, secret]) => secret === undefined ? [] : [{ label, variable, secret }])
  return pageTitled(
    secrets.title,
    "services"
  )`<h1>${secrets.title}</h1><section class="card form secrets"><p class="banner bad" role="alert">${secrets.lead}</p>${
    facts(about)
  }${
    facts(shown.map(({ label, secret, variable }) =>
      [markup`${label}<br><code>${variable}</code>`, copyable(context, secret)] as const
    ))
  }<p>${
    envFile(secrets.download, shown.map(({ secret, variable }) => [variable, secret] as const))
  }</p><form action="${next}"><p><label><input type="checkbox" name="saved" value="1" required> ${secrets.saved}</label></p><p><button class="primary">${secrets.go}</button></p></form></section>`
}

/**
 * An id of which the page shows the first eight characters, with a button that copies all of it. The whole id stays in
 * the page: a search in the page finds it, and without access to the clipboard the button selects it.
 */
export const shortId = ({ messages: { common } }: PageContext, id: string, href?: string): Html =>
  markup`<span class="copyable">${
    href === undefined
      ? markup`<code class="id short" title="${id}">${id}</code>`
      : markup`<a class="id short" href="${href}" title="${id}">${id}</a>`
  }<button
type="button" class="quiet copy" data-copy="${
    exact(id)
  }" aria-label="${common.copy} ${id}" hidden>${common.copy}</button></span>`

/** The card at the top of a page about one thing: what it is, and its state. */
export const summaryCard = ({ summary }: Messages, content: ReadonlyArray<Content>): Html =>
  markup`<section class="card summary" aria-labelledby="summary"><h2 id="summary" class="unseen">${summary.title}</h2>${content}</section>`

/** The service and the branch of a row, as links to their pages. */
export const shopCell = (branchId: string, shop: ShopName | undefined): Html =>
  shop === undefined
    ? markup`<a class="id" href="${pathTo("branches", branchId)}">${branchId}</a>`
    : markup`<a class="any" href="${pathTo("services", shop.serviceId)}">${shop.service}</a> · <a class="any" href="${
      pathTo("branches", branchId)
    }">${shop.branch}</a>`

/** Whether a branch or an account is active. */
export const activeTag = ({ branch }: Messages, isActive: boolean): Html =>
  isActive ? tag(branch.active, "good") : tag(branch.inactive, "bad")

/** An amount in baht, with separators. */
export const amountCell = ({ messages }: PageContext, amount: number | null): Content =>
  amount === null ? dash : markup`<span class="amount">${money(messages, amount)} ${messages.common.baht}</span>`

interface Verdict {
  readonly outcome: string
  readonly accepted: boolean | null
}

/** The outcome of a verification, the code of a failure, and whether the slip met the conditions. */
export const verdictCell = ({ messages: { lists } }: PageContext, { accepted, outcome }: Verdict): Html => {
  const isSlip = outcome === "verified" || outcome === "duplicate"
  const verdict = isSlip
    ? tag(lists.outcomes[outcome], outcome === "verified" ? "good" : "plain")
    : markup`${tag(lists.outcomes.failed, "bad")} <code class="any">${outcome}</code>`
  const acceptance = accepted === null
    ? undefined
    : markup` ${tag(accepted ? lists.accepted : lists.notAccepted, accepted ? "good" : "bad")}`
  return markup`${verdict}${acceptance}`
}
