import { timeView } from "../../pages/times.ts"
import { Clock, Effect } from "effect"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { type JobRow, listJobs } from "../../../../projections/models/jobs.ts"
import { pageOf } from "../../http/operations/page.ts"
import { decodeJobFilter } from "../../input/operator-queries.ts"
import { type Content, dash, markup, pageTitled, table, tag } from "../../pages/html.ts"
import { pager, shopCell, shortId } from "../components.ts"
import {
  activeFilters,
  dayLinks,
  filteredPath,
  filterForm,
  filterLinks,
  filtersOf,
  issuesBanner,
  orShowIssues
} from "../list-filters.ts"
import { type Page, type PageContext, pathTo } from "../page-context.ts"
import { JobStatus } from "../../../../domain/job.ts"

const tones = { pending: "plain", success: "good", not_found: "bad" } as const

interface ListedJob extends JobRow {
  readonly jobId: string
}

const jobTable = Effect.fnUntraced(function* (
  context: PageContext,
  items: ReadonlyArray<ListedJob>,
  narrow: (branchId: string) => Content
) {
  const { messages: { common, jobStates, lists } } = context
  const shops = yield* shopNames(items.map(({ branchId }) => branchId))
  const rows = items.map(({ attempts, branchId, createdAt, jobId, nextAttemptAt, state }) => [
    timeView(context.messages, createdAt),
    markup`${shopCell(branchId, shops.get(branchId))}${narrow(branchId)}`,
    tag(jobStates[state], tones[state]),
    attempts,
    nextAttemptAt === null ? dash : timeView(context.messages, nextAttemptAt),
    shortId(context, jobId, pathTo("trail", "job", jobId))
  ])
  return table(lists.jobs, [lists.accepting, lists.shop, common.state, lists.attempts, lists.next, common.id], rows)
})

/** Jobs of all branches or of one, those that reached their state last first. */
export const jobsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages: { common, jobStates, lists } } = context
  const filters = filtersOf(context, ["state", "branch", "from", "to"])
  const { branch } = filters
  const now = yield* Clock.currentTimeMillis
  const name = branch === undefined ? undefined : (yield* (yield* Directory).branch(branch.toLowerCase()))?.name
  const states: ReadonlyMap<string, string> = new Map(Object.entries(jobStates))
  const narrow = (branchId: string): Content =>
    branch === undefined
      ? markup` <a class="narrow" href="${filteredPath(context, { ...filters, branch: branchId })}">${lists.only}</a>`
      : undefined
  const page = (issues: Parameters<typeof filterForm>[3], content: Content): Page =>
    pageTitled(
      lists.jobs,
      "jobs"
    )`<h1>${lists.jobs}</h1><section class="card filterbar" aria-label="${lists.filterLabel}">${
      filterLinks(context, filters, common.state, [
        { label: lists.all, filters: { state: "" } },
        ...JobStatus.literals.map((state) => ({ label: jobStates[state], filters: { state } }))
      ])
    }${dayLinks(context, filters, now)}${
      filterForm(context, filters, [
        { name: "from", label: lists.filters.from, kind: "date", hint: lists.bangkok },
        { name: "to", label: lists.filters.to, kind: "date", hint: lists.untilEnd }
      ], issues)
    }${
      activeFilters(context, filters, lists.filters, { branch: name, state: states.get(filters["state"] ?? "") })
    }</section>${content}`
  const list = Effect.gen(function* () {
    const filter = yield* decodeJobFilter(filters)
    const { items, nextCursor } = yield* listJobs({ ...filter, order: "newest", ...(yield* pageOf(exchange)) })
    return page([], [
      items.length === 0 ? markup`<p>${lists.none}</p>` : yield* jobTable(context, items, narrow),
      nextCursor === null ? markup`<p class="hint">${lists.jobRetention}</p>` : undefined,
      pager(context, nextCursor)
    ])
  })
  return yield* orShowIssues(list, (issues) =>
    page(
      issues,
      issuesBanner(context, issues)
    ))
})
