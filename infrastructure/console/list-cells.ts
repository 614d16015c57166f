import type { ShopName } from "../../application/provisioning/shop-names.ts"
import { type Content, type Html, markup } from "../pages/html.ts"
import { dash, tag } from "../pages/elements.ts"
import { timeView } from "../pages/times.ts"
import { type PageContext, pathTo } from "./page-context.ts"

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000]] as const

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()

const relativeFormat = (locale: string): Intl.RelativeTimeFormat => {
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  relativeFormats.set(locale, format)
  return format
}

/** The distance of a time from now in its largest whole unit, such as "3 minutes ago". Both in milliseconds. */
export const relativeTime = (locale: string, at: number, now: number): string => {
  const distance = at - now
  const [unit, millis] = units.find(([, length]) => Math.abs(distance) >= length) ?? units[3]
  return relativeFormat(locale).format(Math.trunc(distance / millis), unit)
}

/** A time of a row: how long ago, and below it the exact time in Bangkok. */
export const momentCell = ({ messages }: PageContext, iso: string, now: number): Html =>
  markup`<span class="moment">${relativeTime(messages.locale, Date.parse(iso), now)}<span class="soft">${
    timeView(messages, iso)
  }</span></span>`

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
