import { Effect } from "effect"
import { find } from "../../../../application/search/find.ts"
import type { Found, Hit, HitGroup } from "../../../../application/views/search.ts"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { readSearchText } from "../../../../application/search/search-text.ts"
import { toBaht } from "../../../../domain/money.ts"
import { decodeFind } from "../../input/operator-queries.ts"
import { type Content, markup, redirect, table } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { shortId } from "../components.ts"
import { type Page, type PageContext, pageOfKind } from "../page-context.ts"
import { verificationTable } from "./verifications.ts"

const pathOf = ({ id, kind }: Hit): string => pageOfKind[kind](id)

/** The only thing that a search found; undefined when there may be others. */
const onlyHit = ({ groups }: Found): Hit | undefined => {
  const [hit, ...others] = groups.flatMap(({ hits }) => hits)
  return others.length === 0 && groups.every(({ isComplete }) => isComplete) ? hit : undefined
}

const leadView = ({ messages: { search } }: PageContext): Content =>
  markup`<p>${search.lead}</p><ul>${search.kinds.map((kind) => markup`<li>${kind}</li>`)}</ul>`

const searchedAs = ({ messages: { search } }: PageContext, groups: ReadonlyArray<HitGroup>): Content => [
  markup`<p>${search.searchedAs}</p><ul>${
    groups.map(({ by, searchedBackTo }) =>
      markup`<li>${search.readings[by]}${
        searchedBackTo === null ? undefined : markup` <span class="soft">(${search.backTo} ${searchedBackTo})</span>`
      }</li>`
    )
  }</ul>`,
  groups.some(({ by }) => by === "tail") ? markup`<p class="hint">${search.tailHint}</p>` : undefined
]

/** The list of verifications that a group is the beginning of. */
const listPath = (text: string, by: HitGroup["by"]): string | undefined => {
  if (by === "remark") return `/console/verifications?${new URLSearchParams({ remark: text }).toString()}`
  const { amount } = readSearchText(text)
  if (by !== "amount" || amount === undefined) return undefined
  const baht = String(toBaht(amount))
  return `/console/verifications?${new URLSearchParams({ minAmount: baht, maxAmount: baht }).toString()}`
}

/** Hits that are no verifications: their kind, and their name or id. */
const thingsTable = Effect.fnUntraced(function* (context: PageContext, by: HitGroup["by"], hits: ReadonlyArray<Hit>) {
  if (hits.length === 0) return undefined
  const { common, search } = context.messages
  const shops = yield* shopNames(hits.filter(({ kind }) => kind === "branch").map(({ id }) => id))
  const rows = hits.map((hit) => {
    const { id, kind, name } = hit
    const service = shops.get(id)?.service
    const label = name === null ? id : service === undefined ? name : `${service} · ${name}`
    return [
      markup`${search.kindNames[kind]}${
        by === "tail" ? markup` <span class="soft">${search.jobHint}</span>` : undefined
      }`,
      markup`<a class="any" href="${pathOf(hit)}">${label}</a>`,
      name === null ? undefined : shortId(context, id)
    ]
  })
  return table(search.groups[by], [common.kind, common.name, common.id], rows)
})

const groupView = Effect.fnUntraced(function* (context: PageContext, text: string, group: HitGroup) {
  const { search } = context.messages
  const { by, hits, isComplete, searchedBackTo } = group
  const things = yield* thingsTable(context, by, hits.filter(({ verification }) => verification === null))
  const found = hits.flatMap(({ verification }) => verification ?? [])
  const verifications = found.length === 0 ? undefined : yield* verificationTable(context, found)
  const further = listPath(text, by)
  const footnotes: ReadonlyArray<Content> = [
    by === "tail" ? markup`<p class="hint">${search.tailHint}</p>` : undefined,
    searchedBackTo === null
      ? undefined
      : markup`<p>${search.backTo} ${timeView(context.messages, searchedBackTo)}.</p>`,
    isComplete
      ? undefined
      : further === undefined
      ? markup`<p>${search.more}</p>`
      : markup`<p><a class="button" href="${further}">${search.inList}</a></p>`
  ]
  return markup`<section class="card" aria-labelledby="by-${by}"><h2 id="by-${by}">${
    search.groups[by]
  } <span class="tag plain">${
    search.count(hits.length, isComplete)
  }</span></h2>${things}${verifications}${footnotes}</section>`
})

const page = ({ messages: { search } }: PageContext, title: string, content: Content, status = 200): Page => ({
  _tag: "Page",
  title: search.title,
  status,
  content: markup`<h1>${title}</h1>${content}`
})

/** Redirects to the only thing that `?q=` means. Otherwise shows what was found, or what was searched. */
export const findPage = Effect.fnUntraced(function* (context: PageContext) {
  const { messages: { search }, query } = context
  const given = (query.get("q") ?? "").trim()
  if (given === "") return page(context, search.title, leadView(context))
  const found = yield* find((yield* decodeFind({ q: given })).q)
  const only = onlyHit(found)
  if (only !== undefined) return redirect(pathOf(only))
  const { groups, text } = found
  const withHits = groups.filter(({ hits }) => hits.length > 0)
  if (withHits.length > 0) {
    const views = yield* Effect.forEach(withHits, (group) => groupView(context, text, group))
    return page(context, search.found(text), views)
  }
  // A search that stopped at its bound has not shown that there is nothing.
  const further = groups.find(({ isComplete }) => !isComplete)
  const path = further === undefined ? undefined : listPath(text, further.by)
  return page(context, search.title, [
    markup`<p class="big">${search.nothing(text)}</p>`,
    searchedAs(context, groups),
    path === undefined ? undefined : markup`<p><a class="button" href="${path}">${search.inList}</a></p>`,
    markup`<ul>${search.tries.map((advice) => markup`<li>${advice}</li>`)}</ul>`,
    leadView(context)
  ], 404)
})
