import type { ShopName } from "../../../application/provisioning/shop-names.ts"
import { type Content, dash, type Html, markup, tag } from "../pages/html.ts"
import { type PageContext, pathTo } from "./page-context.ts"

/** The service and the branch of a row, as links to their pages. */
export const shopCell = (branchId: string, shop: ShopName | undefined): Html =>
  shop === undefined
    ? markup`<a class="id" href="${pathTo("branches", branchId)}">${branchId}</a>`
    : markup`<a class="any" href="${pathTo("services", shop.serviceId)}">${shop.service}</a> · <a class="any" href="${
      pathTo("branches", branchId)
    }">${shop.branch}</a>`

/** An amount in baht, with separators. */
export const bahtText = ({ messages: { common, locale } }: PageContext, amount: number): string =>
  `${amount.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${common.baht}`

export const amountCell = (context: PageContext, amount: number | null): Content =>
  amount === null ? dash : markup`<span class="amount">${bahtText(context, amount)}</span>`

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
