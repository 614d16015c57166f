import { Effect } from "effect"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { listAllVerifications } from "../../../../application/reading/list-all-verifications.ts"
import type { OperatorVerification } from "../../../../application/views/verification.ts"
import { endCodes } from "../../../../domain/failed-verification.ts"
import { parseCursor } from "../../../../projections/engine/page.ts"
import { pageOf } from "../../http/operations/page.ts"
import { decodeAllVerificationsFilter } from "../../input/verification-queries.ts"
import { type Content, listTable, markup } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { amountCell, pager, shopCell, shortId, verdictCell } from "../components.ts"
import { filteredList, type Filters, filtersOf, narrowLink, valueLinks } from "../list-filters.ts"
import { type PageContext, pathTo } from "../page-context.ts"

const FILTERS = [
  "service",
  "branch",
  "outcome",
  "isDuplicate",
  "accepted",
  "from",
  "to",
  "minAmount",
  "maxAmount",
  "remark",
  "reference",
  "bankAccount"
]

const links = (context: PageContext, filters: Filters): Content => {
  const { lists } = context.messages
  const { outcome = "" } = filters
  const isFailed = outcome === "failed" || endCodes.some((code) => code === outcome)
  return [
    valueLinks(context, filters, ["outcome", lists.outcome], [
      ["", lists.all],
      ...(["verified", "duplicate", "failed"] as const).map((one) => [one, lists.outcomes[one]] as const)
    ]),
    isFailed
      ? valueLinks(context, filters, ["outcome", lists.code], endCodes.map((code) => [code, code] as const))
      : undefined,
    valueLinks(context, filters, ["accepted", lists.conditions], [
      ["", lists.all],
      ["true", lists.accepted],
      ["false", lists.notAccepted]
    ])
  ]
}

/** The content of the list's table. `filters` are those of the list; without them no row narrows it. */
export const verificationTable = Effect.fnUntraced(function* (
  context: PageContext,
  items: ReadonlyArray<OperatorVerification>,
  filters?: Filters
) {
  const { messages: { common, lists } } = context
  const shops = yield* shopNames(items.map(({ branchId }) => branchId))
  return listTable(lists.verifications, items, [
    [common.time, ({ at }) => timeView(context.messages, at)],
    [
      lists.shop,
      ({ branchId }) =>
        markup`${shopCell(branchId, shops.get(branchId))}${
          filters === undefined ? undefined : narrowLink(context, filters, branchId)
        }`
    ],
    [lists.outcome, (item) => verdictCell(context, item)],
    [lists.amount, ({ amount }) => amountCell(context, amount)],
    [
      common.id,
      ({ verificationId: id }) =>
        markup`<a class="button open" href="${pathTo("trail", "verification", id)}">${common.open}</a> ${
          shortId(context, id)
        }`
    ]
  ])
})

/** How far back a page searched that is not full, or why the list has an end. */
const footnote = (
  { messages }: PageContext,
  filters: Filters,
  { isFull, nextCursor }: { readonly isFull: boolean; readonly nextCursor: string | null }
): Content => {
  const { lists } = messages
  if (nextCursor !== null && !isFull) {
    const at = new Date(parseCursor(nextCursor).score).toISOString()
    return markup`<p>${lists.searchedTo} ${timeView(messages, at)}. ${lists.searchOn}</p>`
  }
  const isOfAll = filters["branch"] === undefined && filters["service"] === undefined
  return nextCursor === null && isOfAll ? markup`<p class="hint">${lists.retention}</p>` : undefined
}

/** What branches verified, newest first: of all, of a service or of a branch. */
export const verificationsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages: { lists } } = context
  const filters = filtersOf(context, FILTERS)
  const outcomes: ReadonlyMap<string, string> = new Map(Object.entries(lists.outcomes))
  const list = Effect.gen(function* () {
    const filter = yield* decodeAllVerificationsFilter(filters)
    const range = yield* pageOf(exchange)
    const { items, nextCursor } = yield* listAllVerifications({ ...filter, ...range })
    return [
      items.length === 0
        ? markup`<p>${nextCursor === null ? lists.none : lists.noneYet}</p>`
        : yield* verificationTable(context, items, filters),
      footnote(context, filters, { isFull: items.length >= range.limit, nextCursor }),
      pager(context, nextCursor)
    ]
  })
  return yield* filteredList(context, {
    title: lists.verifications,
    menu: "verifications",
    filters,
    links: links(context, filters),
    fields: (days) => [
      ...days,
      ...(["minAmount", "maxAmount", "remark"] as const).map((name) => ({ name, label: lists.filters[name] })),
      { name: "reference", label: lists.filters.reference, hint: lists.referenceHint }
    ],
    shown: { outcome: outcomes.get(filters["outcome"] ?? "") },
    list
  })
})
