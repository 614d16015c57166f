import { Clock, Effect } from "effect"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { listAllVerifications } from "../../../../application/reading/list-all-verifications.ts"
import type { OperatorVerification } from "../../../../application/views/verification.ts"
import { endCodes } from "../../../../domain/failed-verification.ts"
import { parseCursor } from "../../../../projections/engine/page.ts"
import { pageOf } from "../../http/operations/page.ts"
import type { Issue } from "../../api/failures.ts"
import { decodeAllVerificationsFilter } from "../../input/verification-queries.ts"
import { type Content, markup, pageTitled, table } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { amountCell, pager, shopCell, shortId, verdictCell } from "../components.ts"
import {
  activeFilters,
  dayLinks,
  filteredPath,
  filterForm,
  filterLinks,
  type Filters,
  filtersOf,
  issuesBanner,
  orShowIssues
} from "../list-filters.ts"
import { type Page, type PageContext, type PageResult, pathTo } from "../page-context.ts"

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

const outcomeLinks = (context: PageContext, filters: Filters): Content => {
  const { lists } = context.messages
  const { outcome = "" } = filters
  const isFailed = outcome === "failed" || endCodes.some((code) => code === outcome)
  const choice = (label: string, value: string) => ({ label, filters: { outcome: value } })
  return [
    filterLinks(context, filters, lists.outcome, [
      choice(lists.all, ""),
      choice(lists.outcomes.verified, "verified"),
      choice(lists.outcomes.duplicate, "duplicate"),
      choice(lists.outcomes.failed, "failed")
    ]),
    isFailed ? filterLinks(context, filters, lists.code, endCodes.map((code) => choice(code, code))) : undefined
  ]
}

const acceptedLinks = (context: PageContext, filters: Filters): Content => {
  const { lists } = context.messages
  return filterLinks(context, filters, lists.conditions, [
    { label: lists.all, filters: { accepted: "" } },
    { label: lists.accepted, filters: { accepted: "true" } },
    { label: lists.notAccepted, filters: { accepted: "false" } }
  ])
}

/** The names of the service and the branch in the filters. */
const scopeNames = Effect.fnUntraced(function* ({ branch, service }: Filters) {
  const directory = yield* Directory
  return {
    branch: branch === undefined ? undefined : (yield* directory.branch(branch.toLowerCase()))?.name,
    service: service === undefined ? undefined : (yield* directory.service(service.toLowerCase()))?.name
  }
})

interface Head {
  readonly now: number
  readonly names: Readonly<Record<string, string | undefined>>
  readonly issues?: ReadonlyArray<Issue>
}

const head = (context: PageContext, filters: Filters, { issues = [], names, now }: Head): Content => {
  const { lists } = context.messages
  const fields = [
    { name: "from", label: lists.filters.from, kind: "date", hint: lists.bangkok },
    { name: "to", label: lists.filters.to, kind: "date", hint: lists.untilEnd },
    { name: "minAmount", label: lists.filters.minAmount },
    { name: "maxAmount", label: lists.filters.maxAmount },
    { name: "remark", label: lists.filters.remark },
    { name: "reference", label: lists.filters.reference, hint: lists.referenceHint }
  ] as const
  const { outcome = "" } = filters
  const outcomes: ReadonlyMap<string, string> = new Map(Object.entries(lists.outcomes))
  const shown = { ...names, outcome: outcomes.get(outcome) }
  return markup`<h1>${lists.verifications}</h1><section class="card filterbar" aria-label="${lists.filterLabel}">${
    outcomeLinks(context, filters)
  }${acceptedLinks(context, filters)}${dayLinks(context, filters, now)}${filterForm(context, filters, fields, issues)}${
    activeFilters(context, filters, lists.filters, shown)
  }</section>`
}

/** The content of the list's table. `filters` are those of the list; without them no row narrows it. */
export const verificationTable = Effect.fnUntraced(function* (
  context: PageContext,
  items: ReadonlyArray<OperatorVerification>,
  filters?: Filters
) {
  const { messages: { common, lists } } = context
  const shops = yield* shopNames(items.map(({ branchId }) => branchId))
  const narrow = (branchId: string): Content =>
    filters === undefined || filters["branch"] !== undefined
      ? undefined
      : markup` <a class="narrow" href="${filteredPath(context, { ...filters, branch: branchId })}">${lists.only}</a>`
  const rows = items.map((item) => {
    const { amount, at, branchId, verificationId } = item
    const path = pathTo("trail", "verification", verificationId)
    return [
      timeView(context.messages, at),
      markup`${shopCell(branchId, shops.get(branchId))}${narrow(branchId)}`,
      verdictCell(context, item),
      amountCell(context, amount),
      markup`<a class="button open" href="${path}">${common.open}</a> ${shortId(context, verificationId)}`
    ]
  })
  return table(lists.verifications, [common.time, lists.shop, lists.outcome, lists.amount, common.id], rows)
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
  const now = yield* Clock.currentTimeMillis
  const names = yield* scopeNames(filters)
  const page = (content: Content): Page => pageTitled(lists.verifications, "verifications")`${content}`
  const list = Effect.gen(function* () {
    const filter = yield* decodeAllVerificationsFilter(filters)
    const range = yield* pageOf(exchange)
    const { items, nextCursor } = yield* listAllVerifications({ ...filter, ...range })
    return page([
      head(context, filters, { names, now }),
      items.length === 0
        ? markup`<p>${nextCursor === null ? lists.none : lists.noneYet}</p>`
        : yield* verificationTable(context, items, filters),
      footnote(context, filters, { isFull: items.length >= range.limit, nextCursor }),
      pager(context, nextCursor)
    ])
  })
  const result: PageResult = yield* orShowIssues(list, (issues) =>
    page([
      head(context, filters, { issues, names, now }),
      issuesBanner(context, issues)
    ]))
  return result
})
