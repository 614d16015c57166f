import { Clock, Effect } from "effect"
import { listCallbacks } from "../../../../application/callbacks/list-callbacks.ts"
import type { CallbackItem } from "../../../../application/views/job.ts"
import { type ShopName, shopNames } from "../../../../application/provisioning/shop-names.ts"
import { type Content, dash, exact, markup, pageTitled, redirect, table, tag } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import type { Issue } from "../../api/failures.ts"
import { decodeCallbackFilter } from "../../input/operator-queries.ts"
import { action } from "../action.ts"
import { doneBanner, pager, shopCell, shortId } from "../components.ts"
import { actionForm, confirmedAction } from "../forms.ts"
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
import { timeView } from "../../pages/times.ts"
import { type Page, type PageContext, pathTo } from "../page-context.ts"

/** Failed callbacks first: they need an operator. */
const STATES = ["abandoned", "rejected", "pending", "delivered"] as const

const tones = { abandoned: "bad", rejected: "bad", pending: "plain", delivered: "good", none: "plain" } as const

const REDELIVER = "/console/callbacks/redeliver"

interface Row {
  readonly context: PageContext
  readonly filters: Filters
  readonly shops: ReadonlyMap<string, ShopName>
}

const rowOf = ({ context, filters, shops }: Row, item: CallbackItem): ReadonlyArray<Content> => {
  const { callbacks, common } = context.messages
  const { attempts, branchId, host, jobId, lastAttemptAt, lastReason, lastStatus, nextAttemptAt, state } = item
  const redeliverForm = actionForm(
    context,
    REDELIVER,
    markup`<input type="hidden" name="jobId" value="${jobId}"><input type="hidden" name="back" value="${
      filters["state"] ?? ""
    }">
<button aria-label="${callbacks.redeliver} ${jobId}">${callbacks.redeliver}</button>`
  )
  const answer = [lastStatus, lastReason].filter((part) => part !== null).join(" · ")
  return [
    lastAttemptAt === null ? dash : timeView(context.messages, lastAttemptAt),
    shopCell(branchId, shops.get(branchId)),
    markup`<a class="any" href="${filteredPath(context, { ...filters, host })}">${host}</a>`,
    state === "none" ? common.none : tag(callbacks.states[state], tones[state]),
    attempts,
    markup`<span class="any">${answer === "" ? dash : answer}</span>`,
    nextAttemptAt === null ? dash : timeView(context.messages, nextAttemptAt),
    shortId(context, jobId, pathTo("trail", "job", jobId)),
    ...(redeliverForm === undefined ? [] : [redeliverForm])
  ]
}

const callbackTable = Effect.fnUntraced(function* (
  context: PageContext,
  filters: Filters,
  items: ReadonlyArray<CallbackItem>
) {
  const { callbacks, common, lists } = context.messages
  const row = {
    context,
    filters,
    shops: yield* shopNames(items.map(({ branchId }) => branchId))
  }
  const headings = [
    callbacks.last,
    lists.shop,
    callbacks.host,
    common.state,
    callbacks.attempts,
    callbacks.answer,
    callbacks.next,
    callbacks.job,
    ...(context.may(REDELIVER) ? [callbacks.redeliver] : [])
  ]
  return table(callbacks.title, headings, items.map((item) => rowOf(row, item)))
})

const filterBar = (context: PageContext, filters: Filters, now: number, issues: ReadonlyArray<Issue>): Content => {
  const { callbacks, lists } = context.messages
  const { state = "" } = filters
  const names: ReadonlyMap<string, string> = new Map(Object.entries(callbacks.states))
  return markup`<section class="card filterbar" aria-label="${lists.filterLabel}">${
    filterLinks(context, filters, callbacks.filter, [
      { label: lists.all, filters: { state: "" } },
      ...STATES.map((each) => ({ label: callbacks.states[each], filters: { state: each } }))
    ])
  }${dayLinks(context, filters, now)}${
    filterForm(context, filters, [
      { name: "host", label: callbacks.host, hint: callbacks.hostHint },
      { name: "from", label: lists.filters.from, kind: "date", hint: lists.bangkok },
      { name: "to", label: lists.filters.to, kind: "date", hint: lists.untilEnd }
    ], issues)
  }${activeFilters(context, filters, lists.filters, { state: names.get(state) })}</section>`
}

/** Callbacks by state, host and days. Pending ones are in the order in which they are due, the others newest first. */
export const callbacksPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages: { callbacks, lists } } = context
  const filters = filtersOf(context, ["state", "host", "from", "to"])
  const now = yield* Clock.currentTimeMillis
  const page = (issues: ReadonlyArray<Issue>, content: Content): Page =>
    pageTitled(callbacks.title, "callbacks")`<h1>${callbacks.title}</h1>${doneBanner(context)}${
      filterBar(context, filters, now, issues)
    }${content}`
  const list = Effect.gen(function* () {
    const { from, host, state, to } = yield* decodeCallbackFilter(filters)
    const order = state === "pending" ? "oldest" : "newest"
    const query = { state, host, from, to, order, ...(yield* pageOf(exchange)) } as const
    const { items, nextCursor } = yield* listCallbacks(query)
    const isFailed = state === "abandoned" || state === "rejected"
    return page([], [
      items.length === 0 ? markup`<p>${lists.none}</p>` : yield* callbackTable(context, filters, items),
      pager(context, nextCursor),
      isFailed && host !== undefined && items.length > 0
        ? confirmedAction(context, {
          label: callbacks.redeliverAll(host),
          hint: callbacks.redeliverAllHint,
          fields: markup`<input type="hidden" name="host" value="${exact(host)}">`,
          action: "/console/callbacks/redeliver-host"
        })
        : undefined
    ])
  })
  return yield* orShowIssues(list, (issues) =>
    page(
      issues,
      issuesBanner(context, issues)
    ))
})

export const callbackActions = {
  /** Resends one callback, and returns to the list that its form was on. */
  "callbacks/redeliver": action("redeliverCallbacks", {
    body: ({ jobId }) => ({ jobId }),
    show: ({ fields: { back } }) => {
      const state = STATES.find((each) => each === back)
      return redirect(`/console/callbacks?${state === undefined ? "" : `state=${state}&`}done=redelivered`)
    }
  }),
  "callbacks/redeliver-host": action("redeliverCallbacks", {
    body: ({ host }) => ({ host }),
    show: () => redirect("/console/callbacks?state=pending&done=redelivered")
  })
}
