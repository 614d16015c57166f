import { timeView } from "../../pages/times.ts"
import { Effect } from "effect"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { type JobRow, listJobs } from "../../../../projections/models/jobs.ts"
import { pageOf } from "../../http/operations/page.ts"
import { decodeJobFilter } from "../../input/operator-queries.ts"
import { dash, listTable, markup, tag } from "../../pages/html.ts"
import { pager, shopCell, shortId } from "../components.ts"
import { filteredList, type Filters, filtersOf, narrowLink, valueLinks } from "../list-filters.ts"
import { type PageContext, pathTo } from "../page-context.ts"
import { JobStatus } from "../../../../domain/job.ts"

const tones = { pending: "plain", success: "good", not_found: "bad" } as const

interface ListedJob extends JobRow {
  readonly jobId: string
}

const jobTable = Effect.fnUntraced(function* (
  context: PageContext,
  items: ReadonlyArray<ListedJob>,
  filters: Filters
) {
  const { messages: { common, jobStates, lists } } = context
  const shops = yield* shopNames(items.map(({ branchId }) => branchId))
  return listTable(lists.jobs, items, [
    [lists.accepting, ({ createdAt }) => timeView(context.messages, createdAt)],
    [
      lists.shop,
      ({ branchId }) => markup`${shopCell(branchId, shops.get(branchId))}${narrowLink(context, filters, branchId)}`
    ],
    [common.state, ({ state }) => tag(jobStates[state], tones[state])],
    [lists.attempts, ({ attempts }) => attempts],
    [lists.next, ({ nextAttemptAt: at }) => at === null ? dash : timeView(context.messages, at)],
    [common.id, ({ jobId }) => shortId(context, jobId, pathTo("trail", "job", jobId))]
  ], lists.none)
})

/** Jobs of all branches or of one, those that reached their state last first. */
export const jobsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages: { common, jobStates, lists } } = context
  const filters = filtersOf(context, ["state", "branch", "from", "to"])
  const states: ReadonlyMap<string, string> = new Map(Object.entries(jobStates))
  const list = Effect.gen(function* () {
    const filter = yield* decodeJobFilter(filters)
    const { items, nextCursor } = yield* listJobs({ ...filter, order: "newest", ...(yield* pageOf(exchange)) })
    return [
      yield* jobTable(context, items, filters),
      nextCursor === null ? markup`<p class="hint">${lists.jobRetention}</p>` : undefined,
      pager(context, nextCursor)
    ]
  })
  return yield* filteredList(context, {
    title: lists.jobs,
    menu: "jobs",
    filters,
    links: valueLinks(context, filters, ["state", common.state], [
      ["", lists.all],
      ...JobStatus.literals.map((state) => [state, jobStates[state]] as const)
    ]),
    shown: { state: states.get(filters["state"] ?? "") },
    list
  })
})
